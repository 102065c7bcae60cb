#include "conform/step_tensors.h"

#include "reference/optimizer.h"

namespace crossbind::conform {

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
    if (reference::has_first_moment(model.optimizer)) {
      tensors.push_back({parameter.name + ".state.m", parameter.shape});
    }
    if (reference::has_second_moment(model.optimizer)) {
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

tensor::TensorMap state_after(const tensor::TensorMap& shown) {
  tensor::TensorMap state;
  for (const auto& [name, tensor] : shown) {
    if (!name.ends_with(".out") && !name.ends_with(".grad")) {
      state.emplace(name, tensor);
    }
  }
  return state;
}

}  // namespace crossbind::conform
