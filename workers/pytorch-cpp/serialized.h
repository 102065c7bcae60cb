// A model that came as a TorchScript file.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/types.h>

#include <filesystem>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::worker {

// In evaluation mode, on the device. Its parameters must be those of the model.
[[nodiscard]] Result<torch::jit::Module> load_torchscript(const std::filesystem::path& path,
                                                          const model::Model& model,
                                                          torch::Device device);

}  // namespace crossbind::worker
