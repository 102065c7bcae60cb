// The first values of a model's parameters: the same bytes for the same seed on every machine.
#pragma once

#include <cstdint>

#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::model {

// Float32, running statistics included. Parameter number i draws from the Philox stream
// (seed, weights, i): one uniform or one normal an element, in row-major order, also for the
// elements that a rule then overwrites.
[[nodiscard]] tensor::TensorMap initial_weights(const Model& model, uint32_t seed);

}  // namespace crossbind::model
