#include "tensors.h"

namespace crossbind::worker {

torch::Tensor borrow(const tensor::TensorView& view) {
  // torch has no tensors of constant data; nobody writes to these.
  auto* data = const_cast<std::byte*>(view.bytes.data());
  const auto type = view.dtype == tensor::DType::kI64 ? torch::kInt64 : torch::kFloat32;
  return torch::from_blob(data, view.shape, torch::dtype(type));
}

tensor::Tensor to_float32(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  return {host.sizes().vec(),
          std::span<const float>(host.data_ptr<float>(), static_cast<size_t>(host.numel()))};
}

Status load_tensors(const tensor::SafetensorsFile& file, const std::vector<NamedTensor>& tensors) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& named : tensors) {
    CB_ASSIGN(const auto view, file.find(named.name));
    torch::Tensor target = named.tensor;  // shares what it refers to
    target.copy_(borrow(view));
  }
  return {};
}

Status save_tensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
  tensor::TensorMap map;
  for (const NamedTensor& named : tensors) {
    map.emplace(named.name, to_float32(named.tensor));
  }
  return tensor::save_safetensors(path, map, {});
}

}  // namespace crossbind::worker
