// Judging: the first steps of a training are taken apart, and the referee says how far off each
// quantity is. Nothing is timed, so the loader and what is measured make no difference; and a step
// that is one call cannot be taken apart.
#pragma once

#include <cstdint>

#include "tasks/rules.h"

namespace crossbind::tasks {

inline constexpr int64_t kJudgedSteps = 3;

[[nodiscard]] constexpr double judged_samples(const Workload& work) {
  constexpr double kReferee = 8;  // how much slower float64 and its bounds are
  return static_cast<double>(kJudgedSteps) * work.batch * kForwardAndBackward * (1 + kReferee);
}

// Whoever trains and probes can be judged.
inline constexpr Rules kJudgeRules = {
    .claimed_as = trial::Task::kTrain,
    .probe = trial::ProbeLevel::kGradients,
    .takes_steps = true,
    .takes_file = false,
    .feeds_others = false,
    .axes = {.loader = false, .variant = false, .measure = false, .weights = false},
    .has_saved_model = true,
    .has_graph = false,
    .is_timed = false,
    .scores_training = false,
    .scores_beside = false,
    .samples = &judged_samples,
};

}  // namespace crossbind::tasks
