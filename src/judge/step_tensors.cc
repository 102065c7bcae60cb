#include "judge/step_tensors.h"

#include "referee/optimizer.h"

namespace crossbind::judge {
namespace {

constexpr std::string_view kOutput = ".out";

}  // namespace

using trial::ProbeLevel;

std::vector<StepTensor> step_tensors(const model::Model& model, ProbeLevel level, int64_t samples) {
  std::vector<StepTensor> tensors;
  for (const auto& node : model.nodes) {
    if (level >= ProbeLevel::kLayers || &node == &model.nodes.back()) {
      tensor::Shape shape = {samples};
      shape.insert(shape.end(), node.output.begin(), node.output.end());
      tensors.push_back({node.name + ".out", std::move(shape)});
    }
  }
  if (level < ProbeLevel::kGradients) {
    return tensors;
  }
  for (const auto& parameter : model.parameters) {
    tensors.push_back({parameter.name, parameter.shape});
    if (!model::is_trainable(parameter.role)) {
      continue;
    }
    tensors.push_back({parameter.name + ".grad", parameter.shape});
    if (referee::has_first_moment(model.optimizer)) {
      tensors.push_back({parameter.name + ".state.m", parameter.shape});
    }
    if (referee::has_second_moment(model.optimizer)) {
      tensors.push_back({parameter.name + ".state.v", parameter.shape});
    }
  }
  return tensors;
}

std::vector<std::string> names_of(const std::vector<StepTensor>& tensors) {
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    names.push_back(tensor.name);
  }
  return names;
}

std::string layer_of(const model::Model& model, const std::string& tensor) {
  if (tensor.ends_with(kOutput)) {
    return tensor.substr(0, tensor.size() - kOutput.size());
  }
  for (const auto& node : model.nodes) {
    for (const size_t parameter : node.parameters) {
      const auto& name = model.parameters[parameter].name;
      if (tensor == name || tensor.starts_with(name + ".")) {
        return node.name;
      }
    }
  }
  return {};
}

Result<tensor::TensorMap> batch_of(const tensor::SafetensorsFile& data,
                                   std::span<const int64_t> ids,
                                   const std::string& split) {
  const std::string prefix = split + ".";
  tensor::TensorMap batch;
  for (const auto& info : data.tensors()) {
    if (!info.name.starts_with(prefix)) {
      continue;
    }
    CB_ASSIGN(tensor::TensorView view, data.find(info.name));
    const size_t size = view.bytes.size() / static_cast<size_t>(view.shape.front());
    std::vector<std::byte> bytes;
    bytes.reserve(size * ids.size());
    for (const int64_t id : ids) {
      const auto sample = view.bytes.subspan(static_cast<size_t>(id) * size, size);
      bytes.insert(bytes.end(), sample.begin(), sample.end());
    }
    view.shape.front() = static_cast<int64_t>(ids.size());
    view.bytes = bytes;
    batch.emplace(info.name.substr(prefix.size()), tensor::Tensor(view));
  }
  return batch;
}

referee::Array<double> array_of(const tensor::Tensor& tensor) {
  referee::Array<double> array(tensor.shape());
  std::ranges::copy(*tensor.view().as<float>(), array.values.begin());
  return array;
}

bool is_same(const tensor::Tensor& one, const tensor::Tensor& other) {
  return one.shape() == other.shape() && std::ranges::equal(one.view().bytes, other.view().bytes);
}

tensor::TensorMap state_after(const tensor::TensorMap& shown) {
  tensor::TensorMap state;
  for (const auto& [name, tensor] : shown) {
    if (!name.ends_with(".out") && !name.ends_with(".grad")) {
      state.emplace(name, tensor);
    }
  }
  return state;
}

}  // namespace crossbind::judge
