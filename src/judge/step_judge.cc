#include "judge/step_judge.h"

#include <algorithm>

#include "judge/step_tensors.h"

namespace crossbind::judge {

using referee::Array;
using referee::Bounded;
using referee::Scope;

Deviation deviation_of(const std::string& tensor,
                       const Array<double>& came,
                       const Bounded& expected,
                       Scope scope) {
  const auto found = referee::largest_deviation(came, expected, scope);
  const auto index = static_cast<size_t>(found.index);
  return {tensor,
          found.index,
          expected.value.values[index],
          came.values[index],
          found.bound,
          found.ratio};
}

Deviation worst_of(const std::vector<Deviation>& deviations) {
  const auto worst = std::ranges::max_element(deviations, {}, &Deviation::ratio);
  return worst == deviations.end() ? Deviation{} : *worst;
}

StepJudge::StepJudge(const model::Model& model, const RecordedStep& step)
    : model_(&model),
      step_(&step),
      network_(std::make_unique<referee::Network<double>>(
          model, referee::Execution{}, referee::DropoutSource{.enabled = step.drops})),
      outputs_(std::make_unique<std::vector<Array<double>>>()) {}

Result<StepJudge> StepJudge::open(const model::Model& model, const RecordedStep& step) {
  StepJudge judge(model, step);
  CB_TRY(judge.network_->load(step.state));
  for (const auto& node : model.nodes) {
    if (!step.tensors.contains(node.name + ".out")) {
      return fail(ErrorKind::kUnsupported,
                  "it computes '{}' together with a later layer, and does not show it",
                  node.name);
    }
    judge.outputs_->push_back(judge.recorded(node.name + ".out"));
  }
  judge.pass_ = std::make_unique<referee::AnchoredPass>(
      *judge.network_,
      step.batch.inputs,
      *judge.outputs_,
      step.trains ? referee::Mode::kTrain : referee::Mode::kEvaluate);
  return judge;
}

Array<double> StepJudge::recorded(const std::string& name) const {
  return array_of(step_->tensors.at(name));
}

std::vector<Deviation> StepJudge::layers() {
  std::vector<Deviation> found;
  for (size_t i = 0; i < model_->nodes.size(); ++i) {
    found.push_back(deviation_of(
        model_->nodes[i].name + ".out", (*outputs_)[i], pass_->forward(i), Scope::kSample));
  }
  return found;
}

StepJudge::Backward StepJudge::backward() {
  const auto backward = pass_->backward(step_->batch.targets);
  Array<double> loss(tensor::Shape{1});
  loss[0] = step_->loss.value_or(0);
  Backward found{.loss = deviation_of("loss", loss, backward.loss, Scope::kElement)};
  for (size_t i = 0; i < model_->parameters.size(); ++i) {
    const auto& parameter = model_->parameters[i];
    if (model::is_trainable(parameter.role)) {
      const std::string name = parameter.name + ".grad";
      found.gradients.push_back(
          deviation_of(name, recorded(name), backward.gradients[i], Scope::kTensor));
    }
  }
  return found;
}

StepJudge::Updates StepJudge::updates() const {
  Updates found;
  for (size_t i = 0; i < model_->parameters.size(); ++i) {
    const auto& parameter = model_->parameters[i];
    if (!model::is_trainable(parameter.role)) {
      continue;
    }
    const auto& name = parameter.name;
    auto before = referee::initial_state<double>(model_->optimizer, parameter.shape);
    for (auto [suffix, moment] :
         {std::pair{".state.m", &before.m}, std::pair{".state.v", &before.v}}) {
      const auto given = step_->state.find(name + suffix);
      if (!moment->values.empty() && given != step_->state.end()) {
        *moment = array_of(given->second);
      }
    }
    const auto update = referee::update_from(model_->optimizer,
                                             parameter.role,
                                             step_->number,
                                             network_->parameter(i),
                                             recorded(name + ".grad"),
                                             before);
    found.parameters.push_back(
        deviation_of(name, recorded(name), update.parameter, Scope::kElement));
    for (const auto& [moment, bound] :
         {std::pair{name + ".state.m", &update.m}, std::pair{name + ".state.v", &update.v}}) {
      if (step_->tensors.contains(moment)) {
        found.moments.push_back(deviation_of(moment, recorded(moment), *bound, Scope::kElement));
      }
    }
  }
  return found;
}

std::vector<Deviation> StepJudge::statistics() {
  std::vector<Deviation> found;
  for (size_t i = 0; i < model_->nodes.size(); ++i) {
    const auto& parameters = model_->nodes[i].parameters;
    const auto is_buffer = [&](size_t parameter) {
      return !model::is_trainable(model_->parameters[parameter].role);
    };
    if (std::ranges::none_of(parameters, is_buffer)) {
      continue;
    }
    const auto buffers = pass_->buffers(i);
    for (size_t j = 0; j < parameters.size(); ++j) {
      const auto& name = model_->parameters[parameters[j]].name;
      if (is_buffer(parameters[j])) {
        found.push_back(deviation_of(name, recorded(name), buffers[j], Scope::kElement));
      }
    }
  }
  return found;
}

}  // namespace crossbind::judge
