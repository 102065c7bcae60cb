// Losses as torch computes them, and what the SDK says of torch's outputs.
#pragma once

#include <torch/types.h>

#include <vector>

#include "crossbind_worker/scoring.h"
#include "model/training.h"

namespace crossbind::worker {

// The mean over the batch.
[[nodiscard]] torch::Tensor loss_of(model::Loss loss,
                                    const torch::Tensor& outputs,
                                    const std::vector<torch::Tensor>& targets);

// Wherever the tensors are.
[[nodiscard]] Score score(model::Loss loss,
                          const torch::Tensor& outputs,
                          const std::vector<torch::Tensor>& targets);

}  // namespace crossbind::worker
