// Inference: one timed pass over the test set, whose outputs are kept and compared. The model comes
// as parameters, for layers that the worker builds, or as its framework's own file.
#pragma once

#include "tasks/rules.h"

namespace crossbind::tasks {

[[nodiscard]] constexpr double inference_samples(const Workload& work) {
  return work.test + work.warmup_steps * work.batch;
}

inline constexpr Rules kInferParametersRules = {
    .claimed_as = trial::Task::kInferParameters,
    .probe = trial::ProbeLevel::kNone,
    .takes_steps = false,
    .takes_file = false,
    .feeds_others = false,
    .axes = {.loader = true, .variant = true, .measure = true, .weights = true},
    .has_saved_model = false,  // a model from a file is the other inference
    .has_graph = false,
    .is_timed = true,
    .scores_training = false,
    .scores_beside = false,
    .samples = &inference_samples,
};

inline constexpr Rules kInferSerializationRules = {
    .claimed_as = trial::Task::kInferSerialization,
    .probe = trial::ProbeLevel::kNone,
    .takes_steps = false,
    .takes_file = true,
    .feeds_others = false,
    .axes = {.loader = true, .variant = true, .measure = true, .weights = true},
    .has_saved_model = true,
    .has_graph = false,
    .is_timed = true,
    .scores_training = false,
    .scores_beside = false,
    .samples = &inference_samples,
};

}  // namespace crossbind::tasks
