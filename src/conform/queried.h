// What a worker answers to a query, in front of the referee: outputs and the gradients of the
// inputs.
#pragma once

#include "base/error.h"
#include "conform/locate.h"
#include "judge/step_judge.h"
#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::conform {

// `start` has the state and the batch that was asked about. A divergence has its cause where the
// referee, doing the same, comes to the same numbers; part, seed and step are the caller's.
[[nodiscard]] Result<StepFinding> judge_answer(const model::Model& model,
                                               const judge::RecordedStep& start,
                                               const tensor::TensorMap& answer);

}  // namespace crossbind::conform
