#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conform/alternatives.h"
#include "judge/step_tensors.h"
#include "model/losses.h"
#include "referee/network.h"
#include "referee/rounding.h"

namespace crossbind::conform {
namespace {

void scale_gradients(Premise& premise, double factor) {
  for (auto& [name, tensor] : premise.step.tensors) {
    if (name.ends_with(".grad")) {
      scale(tensor, factor);
    }
  }
}

void scale_loss(Premise& premise, double factor) {
  if (premise.step.loss) {
    *premise.step.loss *= factor;
  }
}

// Adds a multiple of a tensor to a parameter's recorded gradient.
void add_to_gradient(Premise& premise,
                     const std::string& parameter,
                     const tensor::Tensor& other,
                     double factor) {
  rewrite(premise.step.tensors.at(parameter + ".grad"), [&](std::span<float> values) {
    const auto added = *other.view().as<float>();
    std::ranges::transform(values, added, values.begin(), [factor](float value, float more) {
      return static_cast<float>(value + factor * more);
    });
  });
}

// The model's output goes through one more layer.
void append(Premise& premise, const model::Layer& activation) {
  auto& nodes = premise.model.nodes;
  const model::Node last = nodes.back();
  // The layer as a model of its own, to compute what was not recorded.
  model::Model alone;
  alone.inputs.push_back({.name = last.name, .shape = last.output});
  alone.nodes.push_back(
      {"activation", activation, {{.is_input = true, .index = 0}}, last.output, {}});
  referee::Network<double> network(alone, {}, {.enabled = false});
  network.forward({judge::array_of(premise.step.tensors.at(last.name + ".out"))},
                  referee::Mode::kTrain);
  const std::string name = last.name + ".activation";
  premise.step.tensors.emplace(name + ".out", referee::as_float32(network.output()));
  nodes.push_back(
      {name, activation, {{.is_input = false, .index = nodes.size() - 1}}, last.output, {}});
}

Alternative with_targets(std::string words, referee::Targets targets) {
  return {std::move(words), [targets = std::move(targets)](Premise& changed) {
            changed.step.batch.targets = targets;
          }};
}

// Every sample with its neighbour's labels.
referee::Targets rolled(referee::Targets targets, bool forward) {
  for (auto* labels : targets.columns()) {
    if (!labels->empty()) {
      const auto first = forward ? labels->end() - 1 : labels->begin() + 1;
      std::rotate(labels->begin(), first, labels->end());  // clang 14 cannot compile ranges::rotate
    }
  }
  return targets;
}

referee::Targets other_class(referee::Targets targets, int64_t offset, int64_t classes) {
  for (auto* labels : targets.columns()) {
    for (int64_t& label : *labels) {
      label = (label + offset + classes) % classes;
    }
  }
  return targets;
}

}  // namespace

std::optional<model::Layer> activation_in(model::Loss loss) {
  switch (loss) {
    case model::Loss::kCrossEntropy:
      return model::Softmax{};
    case model::Loss::kBinaryCrossEntropy:
      return model::Sigmoid{};
    case model::Loss::kSpanCrossEntropy:  // softmax is over the last dimension, this over the first
      return std::nullopt;
  }
  return std::nullopt;
}

Alternatives loss_reductions(const Premise& premise, const Scene& /*scene*/) {
  const auto samples = static_cast<double>(premise.step.batch.inputs.front().batch());
  Alternatives found = {
      {"loss summed over the batch, not averaged",
       [samples](Premise& changed) {
         scale_loss(changed, 1 / samples);
         scale_gradients(changed, 1 / samples);
       }},
      {"loss reported as the sum over the batch",
       [samples](Premise& changed) { scale_loss(changed, 1 / samples); }},
      {"gradients summed over the batch, not averaged",
       [samples](Premise& changed) { scale_gradients(changed, 1 / samples); }},
      {"gradients averaged over the batch twice",
       [samples](Premise& changed) { scale_gradients(changed, samples); }},
  };
  if (const auto whole = static_cast<double>(premise.model.batch); whole != samples) {
    found.push_back({"loss divided by the size of a whole batch", [=](Premise& changed) {
                       scale_loss(changed, whole / samples);
                       scale_gradients(changed, whole / samples);
                     }});
  }
  if (const auto targets = model::describe(premise.model.loss).targets; targets.size() > 1) {
    const double share = 1 / static_cast<double>(targets.size());
    found.push_back({fmt::format("losses of {} added, not averaged", fmt::join(targets, " and ")),
                     [share](Premise& changed) {
                       scale_loss(changed, share);
                       scale_gradients(changed, share);
                     }});
  }
  return found;
}

Alternatives shifted_labels(const Premise& premise, const Scene& scene) {
  const auto& targets = premise.step.batch.targets;
  const int64_t classes = model::class_count(premise.model);
  Alternatives found = {
      with_targets("labels shifted by one sample", rolled(targets, true)),
      with_targets("labels shifted by one sample", rolled(targets, false)),
      with_targets("labels one class too high", other_class(targets, 1, classes)),
      with_targets("labels one class too low", other_class(targets, -1, classes))};
  if (scene.before != nullptr &&
      scene.before->batch.targets.labels.size() == targets.labels.size()) {
    found.push_back(with_targets("labels of the batch before", scene.before->batch.targets));
  }
  return found;
}

Alternatives activated_logits(const Premise& premise, const Scene& /*scene*/) {
  const auto activation = activation_in(premise.model.loss);
  if (!activation) {
    return {};
  }
  return {{fmt::format("{} applied twice", model::type_name(*activation)),
           [layer = *activation](Premise& changed) { append(changed, layer); }}};
}

Alternatives accumulated_gradients(const Premise& /*premise*/, const Scene& scene) {
  if (scene.before == nullptr) {
    return {};
  }
  return {{"gradients accumulated: those of the step before were not cleared",
           [&before = scene.before->tensors](Premise& changed) {
             for (const auto& parameter : changed.model.parameters) {
               if (const auto old = before.find(parameter.name + ".grad"); old != before.end()) {
                 add_to_gradient(changed, parameter.name, old->second, -1);
               }
             }
           }}};
}

Alternatives padding_rows(const Premise& premise, const Scene& /*scene*/) {
  Alternatives found;
  for (size_t i = 0; i < premise.model.nodes.size(); ++i) {
    const auto* embedding = std::get_if<model::Embedding>(&premise.model.nodes[i].layer);
    if (embedding == nullptr || embedding->kind != model::EmbeddingKind::kToken) {
      continue;
    }
    const auto to = [i](std::optional<int64_t> index) {
      return [i, index](Premise& changed) {
        std::get<model::Embedding>(changed.model.nodes[i].layer).padding_index = index;
      };
    };
    if (embedding->padding_index) {
      found.push_back(
          {fmt::format("embedding trains its padding row {}", *embedding->padding_index),
           to(std::nullopt)});
    } else {
      found.push_back({"embedding takes row 0 for padding and does not train it", to(0)});
    }
  }
  return found;
}

Alternatives early_updates(const Premise& premise, const Scene& /*scene*/) {
  // From parameter number `begin` on, as they were after the step.
  const auto updated_from = [](size_t begin) {
    return [begin](Premise& changed) {
      for (size_t i = begin; i < changed.model.parameters.size(); ++i) {
        const auto& name = changed.model.parameters[i].name;
        if (const auto after = changed.step.tensors.find(name);
            after != changed.step.tensors.end()) {
          changed.step.state.at(name) = after->second;
        }
      }
    };
  };
  const auto& parameters = premise.model.parameters;
  const auto own = std::ranges::find_if(parameters, [&](const model::Parameter& parameter) {
    return parameter.name + ".grad" == premise.tensor;
  });
  if (own == parameters.end()) {
    return {};
  }
  const std::string words = "gradient taken through parameters that were updated already";
  return {{words, updated_from(0)},
          {words, updated_from(static_cast<size_t>(own - parameters.begin()) + 1)}};
}

Alternatives decayed_gradients(const Premise& premise, const Scene& /*scene*/) {
  const auto decay =
      std::visit([](const auto& typed) { return typed.weight_decay; }, premise.model.optimizer);
  if (decay.value == 0) {
    return {};
  }
  return {{"weight decay is in the gradient", [decay](Premise& changed) {
             for (const auto& [name, shape, role, unused] : changed.model.parameters) {
               if (role == model::Role::kWeight ||
                   (decay.applies_to == model::DecayApplies::kAll && model::is_trainable(role))) {
                 add_to_gradient(changed, name, changed.step.state.at(name), -decay.value);
               }
             }
           }}};
}

}  // namespace crossbind::conform
