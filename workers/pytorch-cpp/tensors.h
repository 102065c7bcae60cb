// Between safetensors files and torch tensors.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {

// A parameter or running statistic under its canonical name. PyTorch's layouts are the canonical
// ones.
struct NamedTensor {
  std::string name;
  model::Role role = model::Role::kWeight;
  torch::Tensor tensor;
};

// Float32 or int64. Valid as long as the view is, and not to be written to.
[[nodiscard]] torch::Tensor borrow(const tensor::TensorView& view);

// Detached, in host memory and without gaps; a copy only where it has to be.
[[nodiscard]] torch::Tensor on_host(const torch::Tensor& tensor);

// Of a tensor that is on_host(), float32 or int64; valid as long as that is.
[[nodiscard]] tensor::TensorView view_of(const torch::Tensor& host);

[[nodiscard]] tensor::Tensor to_float32(const torch::Tensor& tensor);

// Copies values by name, from a file that has been checked.
[[nodiscard]] Status load_tensors(const tensor::SafetensorsFile& file,
                                  const std::vector<NamedTensor>& tensors);

[[nodiscard]] Status save_tensors(const std::filesystem::path& path,
                                  const std::vector<NamedTensor>& tensors);

}  // namespace crossbind::worker
