// What goes into a probed step and what there is to see of it, by the names of the protocol.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "referee/array.h"
#include "tensor/safetensors.h"
#include "tensor/tensor.h"
#include "trial/settings.h"

namespace crossbind::judge {

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

// The layer that a tensor of a step belongs to; empty for the loss.
[[nodiscard]] std::string layer_of(const model::Model& model, const std::string& tensor);

// The samples with these ids of a data set's split, one after the other: the batch of a probe.
[[nodiscard]] Result<tensor::TensorMap> batch_of(const tensor::SafetensorsFile& data,
                                                 std::span<const int64_t> ids,
                                                 const std::string& split = "train");

// A recorded tensor as what the referee computes with; referee/rounding.h has the way back.
[[nodiscard]] referee::Array<double> array_of(const tensor::Tensor& tensor);

// Whether both have the same shape and the same bits.
[[nodiscard]] bool is_same(const tensor::Tensor& one, const tensor::Tensor& other);

// What the next step starts from, among all that was shown of one: parameters and moments.
[[nodiscard]] tensor::TensorMap state_after(const tensor::TensorMap& shown);

}  // namespace crossbind::judge
