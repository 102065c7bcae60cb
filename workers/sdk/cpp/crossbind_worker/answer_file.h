// The file that answers a query. Other files of a worker are to survive a crash of the machine and
// wait for the disk; this one is read at once, and many small ones come one after another.
#pragma once

#include <filesystem>

#include "base/error.h"
#include "tensor/tensor.h"

namespace crossbind::worker {

// As safetensors, over what may be there: whole or not at all.
[[nodiscard]] Status write_answer(const std::filesystem::path& path,
                                  const tensor::TensorMap& tensors);

}  // namespace crossbind::worker
