#include "tasks/judge/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "tasks/rows.h"

namespace crossbind::tasks {
namespace {

constexpr std::string_view kKindPrefix = "judge.";
constexpr std::string_view kWhere = "verdict.where";

constexpr std::array kRulings = {
    Named<Ruling>{"", Ruling::kNone},
    Named<Ruling>{"within rounding", Ruling::kAgrees},
    Named<Ruling>{"diverges", Ruling::kDiverges},
};

}  // namespace

void write(const Judged& judged, store::TrialRecord& into) {
  for (const auto& [step, kind, ratio] : judged.errors) {
    add_series(fmt::format("{}{}", kKindPrefix, name_in(trial::kKinds, kind)),
               step,
               {storable(ratio)},
               into);
  }
  add_fact(kVerdict, std::string(name_in(kRulings, judged.ruling)), into);
  add_fact(kWhere, judged.where, into);
}

Result<Judged> read_judged(const store::TrialRecord& trial) {
  Judged judged;
  for (const auto& series : trial.series) {
    if (!series.metric.starts_with(kKindPrefix)) {
      continue;
    }
    if (const auto kind = value_in(trial::kKinds, series.metric.substr(kKindPrefix.size()))) {
      judged.errors.push_back({series.epoch, *kind, std::ranges::max(series.values)});
    }
  }
  std::ranges::stable_sort(judged.errors, {}, [](const JudgedKind& error) {
    return std::tuple(error.step, error.kind);
  });
  const std::string verdict = fact_in(trial, kVerdict);
  const auto ruling = value_in(kRulings, verdict);
  if (!ruling) {
    return fail(ErrorKind::kCorrupt, "the verdict '{}' is none of the referee's", verdict);
  }
  judged.ruling = *ruling;
  judged.where = fact_in(trial, kWhere);
  return judged;
}

}  // namespace crossbind::tasks
