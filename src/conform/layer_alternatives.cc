#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "conform/alternatives.h"
#include "judge/step_tensors.h"
#include "referee/network.h"
#include "referee/rounding.h"

namespace crossbind::conform {
namespace {

using model::BatchNorm;
using referee::Array;

template <typename Norm>
Alternatives epsilons_of(const Norm& norm) {
  constexpr std::array kUsual = {1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12};
  Alternatives found;
  for (const double epsilon : kUsual) {
    if (epsilon != norm.epsilon) {
      found.push_back(
          {fmt::format("{}-norm epsilon {} instead of {}",
                       std::is_same_v<Norm, BatchNorm> ? "batch" : "layer",
                       epsilon,
                       norm.epsilon),
           [epsilon](Premise& changed) { std::get<Norm>(changed.layer()).epsilon = epsilon; }});
    }
  }
  return found;
}

// Dividing by the root of c (variance + epsilon / c) is dividing by that without c, and scaling.
template <typename Norm>
void normalise_by_unbiased(Premise& premise, int64_t count) {
  const auto n = static_cast<double>(count);
  const double correction = n / (n - 1);
  std::get<Norm>(premise.layer()).epsilon /= correction;
  scale(premise.step.state.at(premise.model.parameters.front().name), 1 / std::sqrt(correction));
}

// Layers with an asymmetric window, the other way round.
template <typename Window>
Alternatives other_side(const Window& window, std::string_view what) {
  if (window.pads.top == window.pads.bottom && window.pads.left == window.pads.right) {
    return {};
  }
  return {{fmt::format("{} padded at the other side", what), [](Premise& changed) {
             auto& pads = std::get<Window>(changed.layer()).pads;
             std::swap(pads.top, pads.bottom);
             std::swap(pads.left, pads.right);
           }}};
}

// The image with zeros around it, for a layer that then has no pads of its own.
Array<double> padded(const Array<double>& image, const model::Pads& pads) {
  const auto& in = image.shape;
  Array<double> out({in[0], in[1], in[2] + pads.top + pads.bottom, in[3] + pads.left + pads.right});
  for (int64_t row = 0; row < image.rows(); ++row) {
    const int64_t plane = row / in[2];
    const int64_t target = (plane * out.shape[2] + pads.top + row % in[2]) * out.last();
    std::copy_n(image.data() + row * in[3], in[3], out.data() + target + pads.left);
  }
  return out;
}

// Multiplies by a factor, with the bound of a product: a norm that does nothing else.
void turn_into_scaling(Premise& premise, double factor) {
  const int64_t channels = premise.step.batch.inputs.front().shape.at(1);
  const auto filled = [channels](double value) {
    return tensor::Tensor(
        {channels}, std::vector<float>(static_cast<size_t>(channels), static_cast<float>(value)));
  };
  premise.step.trains = false;
  premise.layer() = BatchNorm{.features = channels, .epsilon = 1};
  auto& node = premise.model.nodes.front();
  for (const auto& [name, role, value] : {std::tuple{"scale", model::Role::kScale, factor},
                                          std::tuple{"shift", model::Role::kShift, 0.0},
                                          std::tuple{"mean", model::Role::kRunningMean, 0.0},
                                          std::tuple{"var", model::Role::kRunningVariance, 0.0}}) {
    node.parameters.push_back(premise.model.parameters.size());
    premise.model.parameters.push_back({name, {channels}, role, {}});
    premise.step.state.emplace(name, filled(value));
  }
}

// The share of the numbers that came out as 0.
double dropped_share(const Premise& premise) {
  const auto output = judge::array_of(premise.step.tensors.begin()->second);
  const auto& input = premise.step.batch.inputs.front();
  double kept = 0;
  double dropped = 0;
  for (int64_t i = 0; i < output.size(); ++i) {
    (output[i] == 0 ? dropped : kept) += input[i] == 0 ? 0 : 1;
  }
  return dropped == 0 ? 0 : dropped / (dropped + kept);
}

// Lets the input be 0 where the output is.
void mask_by_output(Premise& premise) {
  const auto output = judge::array_of(premise.step.tensors.begin()->second);
  auto& input = premise.step.batch.inputs.front();
  for (int64_t i = 0; i < output.size(); ++i) {
    input[i] = output[i] == 0 ? 0 : input[i];
  }
}

// The layer is followed by this one, and what was recorded is that one's output.
void follow_by(Premise& premise, const model::Layer& activation) {
  referee::Network<double> network(premise.model, {}, {.enabled = false});
  if (!network.load(premise.step.state)) {
    return;
  }
  network.forward(premise.step.batch.inputs,
                  premise.step.trains ? referee::Mode::kTrain : referee::Mode::kEvaluate);
  auto& logits = premise.model.nodes.front();
  model::Node last = {
      logits.name, activation, {{.is_input = false, .index = 0}}, logits.output, {}};
  logits.name += ".logits";
  premise.step.tensors.emplace(logits.name + ".out", referee::as_float32(network.output()));
  premise.model.nodes.push_back(std::move(last));
}

}  // namespace

Alternatives norm_modes(const Premise& premise, const Scene& /*scene*/) {
  if (!std::holds_alternative<BatchNorm>(premise.layer())) {
    return {};
  }
  return {{premise.step.trains ? "batch norm uses running statistics in training"
                               : "batch norm uses batch statistics at evaluation",
           [](Premise& changed) { changed.step.trains = !changed.step.trains; }}};
}

Alternatives norm_epsilons(const Premise& premise, const Scene& /*scene*/) {
  if (const auto* norm = std::get_if<BatchNorm>(&premise.layer())) {
    return epsilons_of(*norm);
  }
  if (const auto* norm = std::get_if<model::LayerNorm>(&premise.layer())) {
    return epsilons_of(*norm);
  }
  return {};
}

Alternatives norm_variances(const Premise& premise, const Scene& /*scene*/) {
  const auto& shape = premise.step.batch.inputs.front().shape;
  if (std::holds_alternative<model::LayerNorm>(premise.layer()) && shape.back() > 1) {
    return {{"layer norm divides by the unbiased variance", [count = shape.back()](Premise& p) {
               normalise_by_unbiased<model::LayerNorm>(p, count);
             }}};
  }
  if (const auto* norm = std::get_if<BatchNorm>(&premise.layer());
      norm != nullptr && premise.step.trains) {
    const int64_t count = referee::count_of(shape) / norm->features;
    if (count > 1) {
      return {{"batch norm divides by the unbiased variance",
               [count](Premise& p) { normalise_by_unbiased<BatchNorm>(p, count); }}};
    }
  }
  return {};
}

Alternatives padding_forms(const Premise& premise, const Scene& /*scene*/) {
  const auto& layer = premise.layer();
  if (const auto* conv = std::get_if<model::Conv2d>(&layer)) {
    return other_side(*conv, "convolution");
  }
  if (const auto* pool = std::get_if<model::MaxPool2d>(&layer)) {
    auto found = other_side(*pool, "max pool");
    if (pool->pads != model::Pads{}) {
      found.push_back({"max pool padded with zeros", [](Premise& changed) {
                         auto& pads = std::get<model::MaxPool2d>(changed.layer()).pads;
                         auto& image = changed.step.batch.inputs.front();
                         image = padded(image, pads);
                         pads = {};
                       }});
    }
    return found;
  }
  if (const auto* pool = std::get_if<model::AvgPool2d>(&layer)) {
    auto found = other_side(*pool, "average pool");
    found.push_back({fmt::format("average pool {} its padding",
                                 pool->count_padding ? "does not count" : "counts"),
                     [](Premise& changed) {
                       auto& count = std::get<model::AvgPool2d>(changed.layer()).count_padding;
                       count = !count;
                     }});
    return found;
  }
  return {};
}

// What a layer that should drop may do instead. The zeros of its output are a mask; a layer that
// does nothing has none.
Alternatives wrong_dropout(const Premise& premise, double rate) {
  const auto kept_by = [](double factor) {
    return [factor](Premise& changed) {
      mask_by_output(changed);
      turn_into_scaling(changed, factor);
    };
  };
  Alternatives found = {{"dropout does nothing in training",
                         [](Premise& changed) { turn_into_scaling(changed, 1); }}};
  if (dropped_share(premise) > 0) {
    found.push_back({"dropout does not scale what it keeps", kept_by(1)});
    found.push_back({"dropout multiplies what it keeps by 1 - rate", kept_by(1 - rate)});
    found.push_back({"dropout divides what it keeps by the rate", kept_by(1 / rate)});
  }
  return found;
}

Alternatives active_dropout(const Premise& premise, const Scene& /*scene*/) {
  const auto* dropout = std::get_if<model::Dropout>(&premise.layer());
  if (dropout == nullptr || dropout->rate == 0) {
    return {};
  }
  if (premise.step.drops) {
    return wrong_dropout(premise, dropout->rate);
  }
  const std::string_view when = premise.step.trains ? "although it is off" : "at evaluation";
  const double kept = 1 - dropout->rate;
  const auto scaling = [](double factor) {
    return [factor](Premise& changed) { turn_into_scaling(changed, factor); };
  };
  const auto masking = [](double factor) {
    return [factor](Premise& changed) {
      mask_by_output(changed);
      turn_into_scaling(changed, factor);
    };
  };
  Alternatives found = {{fmt::format("dropout multiplies by 1 - rate {}", when), scaling(kept)},
                        {fmt::format("dropout divides by 1 - rate {}", when), scaling(1 / kept)}};
  // A few zeros, or nothing else, are not the work of a mask with that rate.
  const double share = dropped_share(premise);
  if (share > dropout->rate / 4 && share < (1 + dropout->rate) / 2) {
    found.push_back({fmt::format("dropout drops values {}", when), masking(1 / kept)});
    found.push_back({fmt::format("dropout drops values, without scaling, {}", when), masking(1)});
  }
  return found;
}

Alternatives flatten_orders(const Premise& premise, const Scene& /*scene*/) {
  const auto& shape = premise.step.batch.inputs.front().shape;
  if (!std::holds_alternative<model::Flatten>(premise.layer()) || shape.size() != 4) {
    return {};
  }
  return {{"flattened with the channels last", [](Premise& changed) {
             auto& image = changed.step.batch.inputs.front();
             const Array<double> old = image;
             const int64_t channels = old.shape[1];
             const int64_t positions = old.shape[2] * old.shape[3];
             for (int64_t i = 0; i < image.size(); ++i) {
               const int64_t plane = i / channels / positions * channels + i % channels;
               image[i] = old[plane * positions + i / channels % positions];
             }
           }}};
}

Alternatives activated_outputs(const Premise& premise, const Scene& scene) {
  const auto& last = scene.model.nodes.back();
  const auto activation = activation_in(scene.model.loss);
  if (premise.model.nodes.front().name != last.name || !activation) {
    return {};
  }
  return {{fmt::format("{} applied {}",
                       model::type_name(*activation),
                       premise.step.trains ? "twice" : "to the output"),
           [layer = *activation](Premise& changed) { follow_by(changed, layer); }}};
}

}  // namespace crossbind::conform
