// Conform: a binding on a model, taken apart in as many steps as the user asks for and as deep as
// the worker shows. A command of its own conducts it (src/conform); no plan has a trial of it.
#pragma once

#include "tasks/rules.h"

namespace crossbind::tasks {

[[nodiscard]] constexpr double conformed_samples(const Workload& /*work*/) {
  return 0;
}

inline constexpr Rules kConformRules = {
    .claimed_as = trial::Task::kTrain,
    .probe = trial::ProbeLevel::kNone,
    .takes_steps = true,
    .takes_file = false,
    .feeds_others = false,
    .axes = {.loader = false, .variant = false, .measure = false, .weights = false},
    .has_saved_model = true,
    .has_graph = false,
    .is_timed = false,
    .scores_training = false,
    .scores_beside = false,
    .samples = &conformed_samples,
};

}  // namespace crossbind::tasks
