#include "decide/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "base/named.h"
#include "base/text.h"

namespace crossbind::decide {
namespace {

using tasks::Ruling;

constexpr double kStandardErrors = 4;  // by chance once in 16,000 trials
constexpr size_t kFewestSeeds = 3;     // that say how much seeds differ

constexpr std::array kKinds = {Named<ChangeKind>{"outcome", ChangeKind::kOutcome},
                               Named<ChangeKind>{"verdict", ChangeKind::kRuling},
                               Named<ChangeKind>{"accuracy", ChangeKind::kAccuracy},
                               Named<ChangeKind>{"reproduction", ChangeKind::kReproduction}};

std::optional<double> number_in(const store::NamedTexts& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) {
    return std::nullopt;
  }
  double number = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [place, error] = std::from_chars(found->second.data(), end, number);
  const bool whole = error == std::errc() && place == end && number >= 1;
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<Change> changed_accuracy(const Kept& baseline,
                                       const Kept& candidate,
                                       const AccuracyTolerance& tolerance) {
  if (baseline.accuracies.size() > candidate.accuracies.size()) {
    return Change{ChangeKind::kAccuracy,
                  fmt::format("scored {} {}, now {}",
                              baseline.accuracies.size(),
                              plural(baseline.accuracies.size(), "model", "models"),
                              candidate.accuracies.size())};
  }
  for (size_t i = 0; i < baseline.accuracies.size(); ++i) {
    const double before = baseline.accuracies[i];
    const double now = candidate.accuracies[i];
    const auto limit = tolerance.between(before, now);
    if (limit && std::abs(now - before) > *limit) {
      return Change{ChangeKind::kAccuracy,
                    fmt::format("test accuracy was {:.4f}, is {:.4f}; rounding explains {:.4f}",
                                before,
                                now,
                                *limit)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  return name_in(kKinds, kind);
}

AccuracyTolerance::AccuracyTolerance(const Treatment& treatment, const Trials& baseline)
    : test_samples_(number_in(treatment.settings, "test_samples")) {
  std::set<uint32_t> seeds;
  std::vector<double> all;
  for (const auto& [seed, trial] : baseline) {
    // A trial with several accuracies ran several models: they say nothing about a seed.
    if (trial.outcome == store::Outcome::kDone && trial.accuracies.size() == 1) {
      all.push_back(trial.accuracies[0]);
      seeds.insert(seed.first);
    }
  }
  has_spread_ = seeds.size() >= kFewestSeeds;
  if (has_spread_) {
    const auto [low, high] = std::ranges::minmax_element(all);
    spread_ = *high - *low;
  }
}

std::optional<double> AccuracyTolerance::between(double a, double b) const {
  if (!test_samples_) {
    return has_spread_ ? std::optional(spread_) : std::nullopt;
  }
  // Where nothing or everything is right, one sample in doubt.
  const double n = *test_samples_;
  const double share = std::clamp((a + b) / 2, 1 / n, std::max(1 - 1 / n, 1 / n));
  const double error = std::sqrt(2 * share * (1 - share) / n);
  return std::max(kStandardErrors * error, spread_);
}

std::optional<Change> change_between(const Kept& baseline,
                                     const Kept& candidate,
                                     const AccuracyTolerance& tolerance) {
  if (baseline.outcome != store::Outcome::kDone) {
    return std::nullopt;  // it cannot become worse
  }
  if (candidate.outcome != store::Outcome::kDone) {
    return Change{
        ChangeKind::kOutcome,
        fmt::format("was done, is {}: {}", store::name_of(candidate.outcome), candidate.reason)};
  }
  if (baseline.ruling == Ruling::kAgrees && candidate.ruling != Ruling::kAgrees) {
    return Change{ChangeKind::kRuling,
                  candidate.ruling == Ruling::kNone
                      ? "was within rounding, is not judged"
                      : fmt::format("was within rounding, diverges at {}", candidate.where)};
  }
  const bool same_bits =
      !baseline.parameters.empty() && baseline.parameters == candidate.parameters;
  if (same_bits && baseline.accuracies == candidate.accuracies) {
    return std::nullopt;
  }
  return changed_accuracy(baseline, candidate, tolerance);
}

}  // namespace crossbind::decide
