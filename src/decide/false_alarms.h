// How often the gate would raise a false alarm: the samples of one store against themselves, dealt
// into two halves at random, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "decide/gate_decision.h"
#include "decide/slowdown.h"

namespace crossbind::decide {

struct SelfTestOptions {
  uint32_t resamplings = 200;
  uint32_t seed = 1;
};

struct SelfTest {
  uint32_t resamplings = 0;
  size_t comparisons = 0;    // that have two samples or more
  size_t can_alarm = 0;      // comparisons whose halves are large enough to be significant
  uint32_t alarms = 0;       // resamplings in which the gate would fail
  uint32_t significant = 0;  // resamplings in which it would if the limit were 0

  [[nodiscard]] double rate() const {
    return resamplings == 0 ? 0 : static_cast<double>(alarms) / resamplings;
  }
};

// A sample a comparison. The halves are exchangeable whatever the numbers are, so this checks the
// gate's arithmetic on real noise; a machine that drifts between two runs is not in it.
[[nodiscard]] Result<SelfTest> self_test(std::span<const std::vector<double>> samples,
                                         const TimeLimits& limits,
                                         const SelfTestOptions& options = {});

// Passed where false alarms are no more frequent than the limits allow; undecided where no halves
// are large enough to raise one.
[[nodiscard]] GateDecision decision_of(const SelfTest& test, const TimeLimits& limits);

}  // namespace crossbind::decide
