// Files of tensors that a worker wrote: checked, and hashed by content, so that two bindings that
// agree bit for bit have the same hash whatever their writers put around it.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::converse {

// SHA-256 of the values of all parameters, in the model's order. Fails when one is missing, has
// another shape or type, or is not finite.
[[nodiscard]] Result<std::string> hash_parameters(const std::filesystem::path& path,
                                                  const model::Model& model);

// The shape of a model's outputs for so many samples.
[[nodiscard]] tensor::Shape outputs_shape(const model::Model& model, int64_t samples);

// SHA-256 of the tensor 'outputs', which must have this many samples of the model's output.
[[nodiscard]] Result<std::string> hash_outputs(const std::filesystem::path& path,
                                               const model::Model& model,
                                               int64_t samples);

}  // namespace crossbind::converse
