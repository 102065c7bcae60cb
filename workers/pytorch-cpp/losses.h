// Losses, and which answers are right.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "model/training.h"

namespace crossbind::worker {

// The mean over the batch.
[[nodiscard]] torch::Tensor loss_of(model::Loss loss,
                                    const torch::Tensor& outputs,
                                    const std::vector<torch::Tensor>& targets);

[[nodiscard]] int64_t count_correct(model::Loss loss,
                                    const torch::Tensor& outputs,
                                    const std::vector<torch::Tensor>& targets);

}  // namespace crossbind::worker
