#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "conform/alternatives.h"

namespace crossbind::conform {
namespace {

using model::Adam;
using model::DecayApplies;
using model::DecayForm;
using model::Optimizer;
using model::Sgd;
using model::WeightDecay;

double& rate_of(Optimizer& optimizer) {
  return std::visit([](auto& typed) -> double& { return typed.rate; }, optimizer);
}

WeightDecay& decay_of(Optimizer& optimizer) {
  return std::visit([](auto& typed) -> WeightDecay& { return typed.weight_decay; }, optimizer);
}

// To so many binary digits, fewer below the smallest normal number 2^least.
double rounded(double value, int digits, int least) {
  const int exponent = std::max(std::ilogb(value), least);
  const double unit = std::ldexp(1, exponent - digits + 1);
  return std::nearbyint(value / unit) * unit;
}

// Whatever ends like that, in the state or among what was shown.
void scale_all(tensor::TensorMap& tensors, std::string_view suffix, double factor) {
  for (auto& [name, tensor] : tensors) {
    if (name.ends_with(suffix)) {
      scale(tensor, factor);
    }
  }
}

void forget(tensor::TensorMap& tensors, std::string_view suffix) {
  std::erase_if(tensors, [&](const auto& entry) { return entry.first.ends_with(suffix); });
}

// What is added to the second moment is under the root. The moment that was shown has none of it.
void put_epsilon_under_root(Premise& premise) {
  auto& adam = std::get<Adam>(premise.model.optimizer);
  const double correction =
      adam.epsilon_form == model::EpsilonForm::kHat
          ? 1
          : 1 - std::pow(adam.beta2, static_cast<double>(premise.step.number));
  const double more = adam.epsilon * correction / adam.beta2;
  for (const auto& parameter : premise.model.parameters) {
    const auto count = static_cast<size_t>(referee::count_of(parameter.shape));
    auto& moment =
        premise.step.state
            .try_emplace(parameter.name + ".state.v", parameter.shape, std::vector<float>(count))
            .first->second;
    rewrite(moment, [more](std::span<float> values) {
      for (float& value : values) {
        value = static_cast<float>(value + more);
      }
    });
  }
  adam.epsilon = 0;
  forget(premise.step.tensors, ".state.v");
}

// Every term that goes into the velocity, or into a step without one.
void scale_terms(Premise& premise, double factor) {
  scale_all(premise.step.tensors, ".grad", factor);
  if (auto& decay = decay_of(premise.model.optimizer); decay.form == DecayForm::kCoupled) {
    decay.value *= factor;
  }
}

// g + momentum * m with the new m = momentum * m + g: the referee's own step from other terms. The
// velocity that was shown is that of the plain form.
void look_ahead(Premise& premise) {
  const double momentum = std::get<Sgd>(premise.model.optimizer).momentum;
  scale_terms(premise, 1 + momentum);
  scale_all(premise.step.state, ".state.m", momentum);
  forget(premise.step.tensors, ".state.m");
}

// m = momentum * m + sign * rate * g; p = p - sign * m.
void put_rate_into_velocity(Premise& premise, double sign) {
  double& rate = rate_of(premise.model.optimizer);
  scale_terms(premise, rate);
  if (auto& decay = decay_of(premise.model.optimizer); decay.form == DecayForm::kDecoupled) {
    decay.value *= rate;
  }
  rate = 1;
  scale_all(premise.step.state, ".state.m", sign);
  scale_all(premise.step.tensors, ".state.m", sign);
}

Alternative with_decay(std::string words, const WeightDecay& decay) {
  return {std::move(words),
          [decay](Premise& changed) { decay_of(changed.model.optimizer) = decay; }};
}

}  // namespace

Alternatives missing_updates(const Premise& premise, const Scene& /*scene*/) {
  Alternatives found = {{"parameters are not updated",
                         [](Premise& changed) { rate_of(changed.model.optimizer) = 0; }}};
  if (premise.model.parameters.size() > 1) {
    found.push_back({fmt::format("{} is not updated", premise.tensor), [](Premise& changed) {
                       std::erase_if(changed.model.parameters, [&](const auto& parameter) {
                         return parameter.name != changed.tensor;
                       });
                       rate_of(changed.model.optimizer) = 0;
                     }});
  }
  return found;
}

Alternatives rate_precisions(const Premise& premise, const Scene& /*scene*/) {
  struct Format {
    std::string_view name;
    int digits;
    int least;
  };
  Optimizer optimizer = premise.model.optimizer;
  const double rate = rate_of(optimizer);
  Alternatives found;
  for (const auto& [name, digits, least] :
       {Format{"float16", 11, -14}, Format{"bfloat16", 8, -126}}) {
    const double narrow = rounded(rate, digits, least);
    found.push_back(
        {fmt::format("learning rate used as {} ({:.7g} instead of {})", name, narrow, rate),
         [narrow](Premise& changed) { rate_of(changed.model.optimizer) = narrow; }});
  }
  if (const auto* sgd = std::get_if<Sgd>(&optimizer); sgd != nullptr && sgd->momentum == 0) {
    found.push_back(
        {"update applied twice", [](Premise& changed) { rate_of(changed.model.optimizer) *= 2; }});
  }
  return found;
}

Alternatives decay_forms(const Premise& premise, const Scene& /*scene*/) {
  Optimizer optimizer = premise.model.optimizer;
  const WeightDecay decay = decay_of(optimizer);
  if (decay.value == 0) {
    return {};
  }
  const bool all = decay.applies_to == DecayApplies::kAll;
  const bool coupled = decay.form == DecayForm::kCoupled;
  WeightDecay none = decay;
  none.value = 0;
  WeightDecay elsewhere = decay;
  elsewhere.applies_to = all ? DecayApplies::kWeights : DecayApplies::kAll;
  WeightDecay otherwise = decay;
  otherwise.form = coupled ? DecayForm::kDecoupled : DecayForm::kCoupled;
  return {with_decay("weight decay is missing", none),
          with_decay(all ? "weight decay not applied to biases and norms"
                         : "weight decay applied to biases and norms",
                     elsewhere),
          with_decay(coupled ? "weight decay decoupled from the gradient"
                             : "weight decay added to the gradient",
                     otherwise)};
}

Alternatives adam_epsilons(const Premise& premise, const Scene& /*scene*/) {
  const auto* adam = std::get_if<Adam>(&premise.model.optimizer);
  if (adam == nullptr) {
    return {};
  }
  const bool hat = adam->epsilon_form == model::EpsilonForm::kHat;
  Alternatives found = {{"Adam's epsilon inside the root", put_epsilon_under_root},
                        {hat ? "Adam's epsilon added after the bias correction"
                             : "Adam's epsilon added before the bias correction",
                         [hat](Premise& changed) {
                           std::get<Adam>(changed.model.optimizer).epsilon_form =
                               hat ? model::EpsilonForm::kOutside : model::EpsilonForm::kHat;
                         }}};
  for (const double epsilon : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}) {
    if (epsilon != adam->epsilon) {
      found.push_back({fmt::format("Adam's epsilon {} instead of {}", epsilon, adam->epsilon),
                       [epsilon](Premise& changed) {
                         std::get<Adam>(changed.model.optimizer).epsilon = epsilon;
                       }});
    }
  }
  return found;
}

Alternatives adam_corrections(const Premise& premise, const Scene& /*scene*/) {
  if (!std::holds_alternative<Adam>(premise.model.optimizer)) {
    return {};
  }
  constexpr int64_t kForever = 1'000'000'000;  // both corrections are 1 then
  const auto at_step = [](int64_t number) {
    return [number](Premise& changed) { changed.step.number = number; };
  };
  const int64_t number = premise.step.number;
  Alternatives found = {{"Adam without bias correction", at_step(kForever)},
                        {"Adam counts one step too many", at_step(number + 1)}};
  if (number > 1) {
    found.push_back({"Adam counts one step too few", at_step(number - 1)});
    found.push_back({"Adam's count of steps starts anew", at_step(1)});
  }
  return found;
}

Alternatives momentum_forms(const Premise& premise, const Scene& /*scene*/) {
  const auto* sgd = std::get_if<Sgd>(&premise.model.optimizer);
  if (sgd == nullptr || sgd->momentum == 0) {
    return {};
  }
  return {{"momentum is missing",
           [](Premise& changed) {
             std::get<Sgd>(changed.model.optimizer).momentum = 0;
             forget(changed.step.tensors, ".state.m");
           }},
          {"momentum dampens the gradient by 1 - momentum",
           [momentum = sgd->momentum](Premise& changed) { scale_terms(changed, 1 - momentum); }},
          {"Nesterov momentum", look_ahead},
          {"learning rate inside the velocity",
           [](Premise& changed) { put_rate_into_velocity(changed, 1); }},
          {"learning rate inside the velocity, with the other sign",
           [](Premise& changed) { put_rate_into_velocity(changed, -1); }}};
}

Alternatives stale_updates(const Premise& /*premise*/, const Scene& scene) {
  if (scene.before == nullptr) {
    return {};
  }
  return {{"update of the parameters of the step before",
           [&before = scene.before->state](Premise& changed) {
             for (const auto& parameter : changed.model.parameters) {
               changed.step.state.at(parameter.name) = before.at(parameter.name);
             }
           }},
          {"update by the gradients of the step before",
           [&before = scene.before->tensors](Premise& changed) {
             for (auto& [name, tensor] : changed.step.tensors) {
               const auto old = before.find(name);
               if (name.ends_with(".grad") && old != before.end()) {
                 tensor = old->second;
               }
             }
           }}};
}

}  // namespace crossbind::conform
