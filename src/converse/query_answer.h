// What a worker wrote in answer to a query: read and checked. Judges nothing.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::converse {

// The tensor 'outputs' of so many samples and, where gradients were asked for, '<input>.grad' of
// each input that is not of integers. Fails when one is missing, of another shape or no float32.
[[nodiscard]] Result<tensor::TensorMap> read_query_answer(const std::filesystem::path& path,
                                                          const model::Model& model,
                                                          int64_t samples,
                                                          bool with_gradients);

}  // namespace crossbind::converse
