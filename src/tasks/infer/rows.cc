#include "tasks/infer/rows.h"

#include <fmt/format.h>

#include <charconv>

#include "tasks/rows.h"

namespace crossbind::tasks {
namespace {

constexpr std::string_view kExpectedHash = "expected_outputs_sha256";
constexpr std::string_view kSeeds = "seeds";

// Calls use(name, values) for every metric, in the order in which they are written.
template <typename MaybeConstInferred, typename Use>
void for_each_metric(MaybeConstInferred& all, const Use& use) {
  use(kWarmup, all.warmup);
  use("infer.total", all.test.seconds);
  use("infer.load", all.parts.load);
  use("infer.forward", all.parts.forward);
  use("infer.backward", all.parts.backward);
  use("infer.accuracy", all.test.accuracy);
  use("infer.differing", all.answers.differing);
  use("infer.output_difference", all.answers.output_difference);
  use("infer.margin", all.answers.margins);
  use("infer.expected", all.test.expected);
  use("infer.same", all.test.same);
  use("infer.train_total", all.train.seconds);
  use("infer.train_accuracy", all.train.accuracy);
  use("infer.train_expected", all.train.expected);
  use("infer.train_same", all.train.same);
}

// "601 602 603"
std::vector<uint32_t> seeds_in(const std::string& text) {
  std::vector<uint32_t> seeds;
  const char* place = text.data();
  const char* const end = place + text.size();
  uint32_t seed = 0;
  while (place < end) {
    const auto [next, error] = std::from_chars(place, end, seed);
    if (error != std::errc()) {
      break;
    }
    seeds.push_back(seed);
    place = next + 1;
  }
  return seeds;
}

}  // namespace

void write(const Inferred& inferred, store::TrialRecord& into) {
  for_each_metric(inferred, [&](std::string_view metric, const std::vector<double>& values) {
    add_series(metric, 0, values, into);
  });
  add_fact(kOutputsHash, inferred.outputs_sha256, into);
  add_fact(kExpectedHash, inferred.expected_outputs_sha256, into);
  add_fact(kSeeds, fmt::format("{}", fmt::join(inferred.seeds, " ")), into);
  add_contradictions(inferred.contradictions, into);
}

Result<Inferred> read_inferred(const store::TrialRecord& trial) {
  Inferred inferred;
  for (const auto& series : trial.series) {
    for_each_metric(inferred, [&](std::string_view metric, std::vector<double>& values) {
      if (series.metric == metric) {
        append(series, values);
      }
    });
  }
  inferred.outputs_sha256 = fact_in(trial, kOutputsHash);
  inferred.expected_outputs_sha256 = fact_in(trial, kExpectedHash);
  inferred.seeds = seeds_in(fact_in(trial, kSeeds));
  inferred.contradictions = contradictions_in(trial);
  return inferred;
}

}  // namespace crossbind::tasks
