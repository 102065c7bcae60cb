// What there is to see of a step: the names by which the protocol asks for it, with their shapes.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "tensor/tensor.h"
#include "trial/settings.h"

namespace crossbind::conform {

struct StepTensor {
  std::string name;
  tensor::Shape shape;
};

// All that a worker of that probe level shows of a step of `samples` samples: outputs first, then
// each parameter with its gradient and the moments that the optimizer has.
[[nodiscard]] std::vector<StepTensor> step_tensors(const model::Model& model,
                                                   trial::ProbeLevel level,
                                                   int64_t samples);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<StepTensor>& tensors);

// Of all that was shown of a step, what the next one starts from: parameters and moments.
[[nodiscard]] tensor::TensorMap state_after(const tensor::TensorMap& shown);

}  // namespace crossbind::conform
