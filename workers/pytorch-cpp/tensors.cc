#include "tensors.h"

namespace crossbind::worker {

torch::Tensor borrow(const tensor::TensorView& view) {
  // torch has no tensors of constant data; nobody writes to these.
  auto* data = const_cast<std::byte*>(view.bytes.data());
  const auto type = view.dtype == tensor::DType::kI64 ? torch::kInt64 : torch::kFloat32;
  return torch::from_blob(data, view.shape, torch::dtype(type));
}

torch::Tensor on_host(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU).contiguous();
}

tensor::TensorView view_of(const torch::Tensor& host) {
  return {host.scalar_type() == torch::kInt64 ? tensor::DType::kI64 : tensor::DType::kF32,
          host.sizes().vec(),
          {static_cast<const std::byte*>(host.data_ptr()), host.nbytes()}};
}

tensor::Tensor to_float32(const torch::Tensor& tensor) {
  const torch::Tensor host = on_host(tensor.to(torch::kFloat32));
  return tensor::Tensor(view_of(host));
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
