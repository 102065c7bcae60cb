// Training: epochs over the training set, timed by the worker, the test set scored after them.
#pragma once

#include "tasks/rules.h"

namespace crossbind::tasks {

[[nodiscard]] constexpr double training_samples(const Workload& work) {
  const double learned = (work.train * work.epochs + work.warmup_steps * work.batch);
  if (work.times_only) {
    return learned * kForwardAndBackward;
  }
  const bool scores_training = work.training_accuracy == trial::TrainingAccuracy::kEval;
  const bool scores_once = work.evaluate == trial::Evaluate::kLast;
  return learned * kForwardAndBackward + (scores_training ? work.train * work.epochs : 0) +
         work.test * (scores_once ? 1 : work.epochs);
}

inline constexpr Rules kTrainRules = {
    .claimed_as = trial::Task::kTrain,
    .probe = trial::ProbeLevel::kNone,
    .takes_steps = true,
    .takes_file = false,
    .feeds_others = true,
    .axes = {.loader = true, .variant = true, .measure = true, .weights = false},
    .has_saved_model = true,
    .has_graph = true,
    .is_timed = true,
    .scores_training = true,
    .scores_beside = true,
    .samples = &training_samples,
};

}  // namespace crossbind::tasks
