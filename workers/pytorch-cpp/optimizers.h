// The optimizers of torch::optim that do what the model says, and their moments under the
// protocol's names.
#pragma once

#include <torch/optim/optimizer.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "tensor/safetensors.h"
#include "tensors.h"

namespace crossbind::worker {

// kUnsupported with the feature's name when torch has no such optimizer.
[[nodiscard]] Result<std::unique_ptr<torch::optim::Optimizer>> make_optimizer(
    const model::Model& model, const std::vector<NamedTensor>& tensors);

// As if the optimizer had done all steps before this one; moments that the file lacks are zero.
void set_moments(torch::optim::Optimizer& optimizer,
                 const model::Model& model,
                 const std::vector<NamedTensor>& tensors,
                 const tensor::SafetensorsFile& state,
                 int64_t step);

// '<parameter>.state.m' and '.state.v', after a step.
[[nodiscard]] std::map<std::string, torch::Tensor> moments_of(
    torch::optim::Optimizer& optimizer,
    const model::Model& model,
    const std::vector<NamedTensor>& tensors);

}  // namespace crossbind::worker
