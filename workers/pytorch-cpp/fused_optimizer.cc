#include "fused_optimizer.h"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>

#include "optimizers.h"

namespace crossbind::worker {
namespace {

using torch::Tensor;

const model::WeightDecay& decay_of(const model::Optimizer& optimizer) {
  return std::visit(
      [](const auto& each) -> const auto& { return each.weight_decay; }, optimizer);
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const Tensor& parameter : parameters) {
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

}  // namespace

Result<FusedOptimizer> FusedOptimizer::make(const model::Model& model,
                                            const std::vector<NamedTensor>& tensors) {
  CB_TRY(make_optimizer(model, tensors));  // what torch lacks, its fused kernels lack
  FusedOptimizer optimizer(model.optimizer);
  const model::WeightDecay& decay = decay_of(model.optimizer);
  Group decayed{.decay = decay.value};
  Group spared;
  for (const NamedTensor& named : tensors) {
    const bool decays =
        decay.applies_to == model::DecayApplies::kAll || named.role == model::Role::kWeight;
    if (model::is_trainable(named.role)) {
      (decays ? decayed : spared).parameters.push_back(named.tensor);
    }
  }
  for (Group* group : {&decayed, &spared}) {
    if (!group->parameters.empty()) {
      optimizer.groups_.push_back(std::move(*group));
    }
  }
  optimizer.add_moments();
  return optimizer;
}

void FusedOptimizer::add_moments() {
  const auto* sgd = std::get_if<model::Sgd>(&optimizer_);
  step_ = torch::zeros({}, groups_.front().parameters.front().options().requires_grad(false));
  for (Group& group : groups_) {
    for (const Tensor& parameter : group.parameters) {
      const Tensor zeros = torch::zeros_like(parameter.detach());
      if (sgd == nullptr) {
        group.first.push_back(zeros);
        group.second.push_back(zeros.clone());
        group.steps.push_back(step_);
      } else if (sgd->momentum != 0) {
        group.first.push_back(zeros);
      }
    }
  }
}

void FusedOptimizer::zero_grad() {
  for (Group& group : groups_) {
    for (Tensor& parameter : group.parameters) {
      parameter.mutable_grad() = Tensor();
    }
  }
}

void FusedOptimizer::restart() {
  const torch::NoGradGuard no_grad;
  step_.zero_();
  for (Group& group : groups_) {
    for (auto* moments : {&group.first, &group.second}) {
      for (Tensor& moment : *moments) {
        moment.zero_();
      }
    }
  }
}

// A momentum of zeros is what the first step starts from: 0 · momentum + gradient.
void FusedOptimizer::step_sgd(Group& group, const model::Sgd& sgd) {
  at::_fused_sgd_(group.parameters,
                  gradients_of(group.parameters),
                  group.first,
                  group.decay,
                  sgd.momentum,
                  sgd.rate,
                  /*dampening=*/0,
                  /*nesterov=*/false,
                  /*maximize=*/false,
                  /*is_first_step=*/false);
}

void FusedOptimizer::step_adam(Group& group, const model::Adam& adam) {
  const auto apply = [&](auto kernel) {
    kernel(group.parameters,
           gradients_of(group.parameters),
           group.first,
           group.second,
           std::vector<Tensor>(),  // no maxima: not amsgrad
           group.steps,
           adam.rate,
           adam.beta1,
           adam.beta2,
           group.decay,
           adam.epsilon,
           /*amsgrad=*/false,
           /*maximize=*/false);
  };
  if (adam.weight_decay.form == model::DecayForm::kDecoupled) {
    apply([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  } else {
    apply([](auto&&... arguments) { at::_fused_adam_(arguments...); });
  }
}

void FusedOptimizer::step() {
  const torch::NoGradGuard no_grad;
  const auto* adam = std::get_if<model::Adam>(&optimizer_);
  if (adam != nullptr) {
    step_.add_(1);
  }
  for (Group& group : groups_) {
    if (adam != nullptr) {
      step_adam(group, *adam);
    } else {
      step_sgd(group, std::get<model::Sgd>(optimizer_));
    }
  }
}

}  // namespace crossbind::worker
