#include "conform/premise.h"

#include <algorithm>

#include "judge/step_tensors.h"

namespace crossbind::conform {
namespace {

using judge::RecordedStep;
using model::Model;

// Copies a tensor that may be there.
void copy(const std::string& name, const tensor::TensorMap& from, tensor::TensorMap& to) {
  if (const auto found = from.find(name); found != from.end()) {
    to.insert_or_assign(name, found->second);
  }
}

// What a layer read, as it was recorded; nothing when it was not.
std::optional<referee::Array<double>> source_of(const Scene& scene, const model::Source& source) {
  if (source.is_input) {
    return scene.step.batch.inputs[source.index];
  }
  const auto found = scene.step.tensors.find(scene.model.nodes[source.index].name + ".out");
  if (found == scene.step.tensors.end()) {
    return std::nullopt;
  }
  return judge::array_of(found->second);
}

std::optional<Premise> premise_of_layer(const Scene& scene,
                                        const model::Node& node,
                                        Question question) {
  Premise premise{.question = question};
  premise.step.trains = scene.step.trains;
  premise.step.drops = scene.step.drops;
  premise.step.number = scene.step.number;
  model::Node alone = node;
  alone.inputs.clear();
  alone.parameters.clear();
  for (const auto& source : node.inputs) {
    auto array = source_of(scene, source);
    if (!array) {
      return std::nullopt;
    }
    alone.inputs.push_back({.is_input = true, .index = premise.model.inputs.size()});
    premise.model.inputs.push_back({.name = "input", .shape = array->shape});
    premise.step.batch.inputs.push_back(std::move(*array));
  }
  for (const size_t index : node.parameters) {
    const auto& parameter = scene.model.parameters[index];
    alone.parameters.push_back(premise.model.parameters.size());
    premise.model.parameters.push_back(parameter);
    copy(parameter.name, scene.step.state, premise.step.state);
    copy(parameter.name, scene.step.tensors, premise.step.tensors);
  }
  copy(node.name + ".out", scene.step.tensors, premise.step.tensors);
  premise.model.nodes.push_back(std::move(alone));
  return premise;
}

Premise premise_of_updates(const Scene& scene) {
  Premise premise{.question = Question::kUpdates};
  premise.step.number = scene.step.number;
  premise.model.optimizer = scene.model.optimizer;
  for (const auto& parameter : scene.model.parameters) {
    const auto& name = parameter.name;
    if (!model::is_trainable(parameter.role) || !scene.step.tensors.contains(name) ||
        !scene.step.tensors.contains(name + ".grad")) {
      continue;
    }
    premise.model.parameters.push_back(parameter);
    for (const char* suffix : {"", ".grad", ".state.m", ".state.v"}) {
      copy(name + suffix, scene.step.state, premise.step.state);
      copy(name + suffix, scene.step.tensors, premise.step.tensors);
    }
  }
  return premise;
}

std::optional<Premise> premise_of_gradients(const Scene& scene) {
  const auto is_shown = [&](const model::Parameter& parameter) {
    return !model::is_trainable(parameter.role) ||
           scene.step.tensors.contains(parameter.name + ".grad");
  };
  if (!std::ranges::all_of(scene.model.parameters, is_shown)) {
    return std::nullopt;
  }
  return Premise{.question = Question::kLossAndGradients, .model = scene.model, .step = scene.step};
}

std::optional<Premise> premise_by_kind(const Scene& scene, const std::string& tensor) {
  if (tensor == "loss" || tensor.ends_with(".grad")) {
    return premise_of_gradients(scene);
  }
  for (const auto& node : scene.model.nodes) {
    if (tensor == node.name + ".out") {
      return premise_of_layer(scene, node, Question::kLayer);
    }
    for (const size_t index : node.parameters) {
      const auto& parameter = scene.model.parameters[index];
      if (tensor == parameter.name && !model::is_trainable(parameter.role)) {
        return premise_of_layer(scene, node, Question::kStatistics);
      }
    }
  }
  return premise_of_updates(scene);
}

std::vector<judge::Deviation> joined(std::vector<judge::Deviation> some,
                                     const std::vector<judge::Deviation>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

}  // namespace

std::optional<Premise> premise_of(const Scene& scene, const std::string& tensor) {
  auto premise = premise_by_kind(scene, tensor);
  if (premise) {
    premise->tensor = tensor;
  }
  return premise;
}

Result<std::vector<judge::Deviation>> ask(const Premise& premise) {
  CB_ASSIGN(auto judge, judge::StepJudge::open(premise.model, premise.step));
  switch (premise.question) {
    case Question::kLayer:
      return judge.layers();
    case Question::kLossAndGradients: {
      const auto backward = judge.backward();
      return joined({backward.loss}, backward.gradients);
    }
    case Question::kUpdates: {
      const auto updates = judge.updates();
      return joined(updates.parameters, updates.moments);
    }
    case Question::kStatistics:
      return judge.statistics();
  }
  return fail(ErrorKind::kInvalid, "no such question");
}

void rewrite(tensor::Tensor& tensor, const std::function<void(std::span<float>)>& change) {
  const auto values = *tensor.view().as<float>();
  std::vector<float> changed(values.begin(), values.end());
  change(changed);
  tensor = tensor::Tensor(tensor.shape(), changed);
}

void scale(tensor::Tensor& tensor, double factor) {
  rewrite(tensor, [factor](std::span<float> values) {
    for (float& value : values) {
      value = static_cast<float>(factor * value);
    }
  });
}

}  // namespace crossbind::conform
