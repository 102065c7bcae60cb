// The first values of a model's parameters: the same bytes for the same seed on every machine.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/model.h"
#include "tensor/safetensors.h"

namespace crossbind::model {

// Float32, running statistics included. Parameter number i draws from the Philox stream
// (seed, weights, i): one uniform or one normal an element, in row-major order, also for the
// elements that a rule then overwrites.
[[nodiscard]] tensor::TensorMap initial_weights(const Model& model, uint32_t seed);

// Writes initial weights to a file, one parameter in memory at a time. The bytes are those of
// save_safetensors().
[[nodiscard]] Status save_initial_weights(const std::filesystem::path& path,
                                          const Model& model,
                                          uint32_t seed,
                                          const tensor::Metadata& metadata);

}  // namespace crossbind::model
