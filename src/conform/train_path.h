// Whether training, as users do it, makes the steps that the worker shows when it is probed: bugs
// of the loop itself (gradients that are not zeroed, an optimizer that is made anew) are in no
// probed step.
//
// First the worker is probed along the batches of the training, each step from what the one before
// came to. The partial batch is one that the probe part has not seen: the referee judges it here.
// Mostly what the steps came to and what training saved are the same bits, and nothing is left to
// judge.
// Where they are not (a variant with other kernels, state in another precision), it trains on one
// batch, on two, and so on, and each of those steps is probed from the parameters that the training
// before came to. They may differ as far as correct gradients, taken through the update, do
// (judge/free_step.h, judge/update_range.h). What another loader or variant then comes to, if it is
// the same bits, has been judged.
#pragma once

#include <vector>

#include "conform/bench.h"
#include "conform/locate.h"

namespace crossbind::conform {

// What a training saved, checked.
[[nodiscard]] Result<tensor::TensorMap> load_parameters(const std::filesystem::path& path,
                                                        const model::Model& model);

class TrainPath {
 public:
  explicit TrainPath(const Bench& bench) : bench_(bench) {}

  // Judges what a training over the loader's batches saved, with these settings. Finds nothing
  // where the worker shows no gradients.
  [[nodiscard]] converse::Attempt<StepFinding> judge(const tensor::TensorMap& saved,
                                                     const trial::Settings& settings);

 private:
  [[nodiscard]] converse::Attempt<void> probe_along();
  [[nodiscard]] Status judge_partial(const model::Model& built, const judge::RecordedStep& step);

  const Bench& bench_;
  StepFinding partial_;       // what the referee says of the step with the partial batch
  tensor::TensorMap probed_;  // the parameters after the probed steps; empty until they were taken
  tensor::TensorMap judged_;  // what a training came to that was looked at step by step
};

}  // namespace crossbind::conform
