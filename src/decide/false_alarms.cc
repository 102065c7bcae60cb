#include "decide/false_alarms.h"

#include <algorithm>
#include <numeric>

#include "tensor/philox.h"

namespace crossbind::decide {
namespace {

// The first half gets the odd one.
TimeSamples halves_of(const std::vector<double>& sample, tensor::PhiloxStream stream) {
  std::vector<int64_t> order(sample.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  tensor::shuffle(order, stream);
  TimeSamples halves;
  const size_t first = (sample.size() + 1) / 2;
  for (size_t i = 0; i < order.size(); ++i) {
    (i < first ? halves.baseline : halves.candidate)
        .push_back(sample[static_cast<size_t>(order[i])]);
  }
  return halves;
}

}  // namespace

Result<SelfTest> self_test(std::span<const std::vector<double>> samples,
                           const TimeLimits& limits,
                           const SelfTestOptions& options) {
  SelfTest test{.resamplings = options.resamplings};
  for (uint32_t round = 0; round < options.resamplings; ++round) {
    std::vector<TimeSamples> comparisons;
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].size() >= 2) {
        comparisons.push_back(halves_of(
            samples[i], {options.seed, tensor::Purpose::kHalves, static_cast<uint32_t>(i), round}));
      }
    }
    CB_ASSIGN(const auto findings, judge_times(comparisons, limits));
    const auto any = [&](auto predicate) { return std::ranges::any_of(findings, predicate); };
    test.comparisons = findings.size();
    test.can_alarm = static_cast<size_t>(std::ranges::count_if(
        findings, [&](const auto& found) { return found.smallest_p <= limits.alpha; }));
    test.alarms += any([](const auto& found) { return found.pace == Pace::kSlower; }) ? 1 : 0;
    test.significant += any([&](const auto& found) {
      return found.p_adjusted <= limits.alpha && found.larger > 0.5;
    })
                            ? 1
                            : 0;
  }
  return test;
}

GateDecision decision_of(const SelfTest& test, const TimeLimits& limits) {
  if (test.can_alarm == 0) {
    return GateDecision::kUndecided;
  }
  return test.rate() <= limits.alpha ? GateDecision::kPassed : GateDecision::kFailed;
}

}  // namespace crossbind::decide
