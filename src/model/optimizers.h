// The descriptions of the optimizers and of weight decay.
#pragma once

#include "model/description.h"
#include "model/names.h"

namespace crossbind::model {

template <>
struct Description<WeightDecay> {
  static constexpr std::string_view kType = "weight_decay";
  static constexpr std::tuple kFields = {
      Number{"value", &WeightDecay::value, config::kNotNegative, "λ; 0 is no decay"},
      Word{"form", &WeightDecay::form, kDecayForms, "where it is added"},
      Word{"applies_to", &WeightDecay::applies_to, kDecayTargets, "the parameters that decay"}};
  static constexpr std::string_view kMeaning = R"(
    coupled:    g ← g + λ · p, before anything else is done with g
    decoupled:  p ← p − rate · λ · p, besides the step; both are computed from the p before the step

- `applies_to = "all"`: every trainable parameter. `"weights"`: those whose `role` in the graph is `weight`, embedding
  tables and recurrent weights included; biases and a norm's scale and shift do not decay.
- It is a part of the update and of nothing else: neither the loss nor a `.grad` of a probe contains it.
)";
};

template <>
struct Description<Sgd> {
  static constexpr std::string_view kType = "sgd";
  static constexpr std::tuple kFields = {
      Number{"rate", &Sgd::rate, config::kPositive, "the learning rate"},
      Number{"momentum",
             &Sgd::momentum,
             config::kBelowOne,
             "how much of the last step stays",
             NotZero::kIsAForm},
      DecayTable{"weight_decay", &Sgd::weight_decay, "see below"}};
  static constexpr std::string_view kMeaning = R"(
    momentum 0:  p ← p − rate · g
    else:        m ← momentum · m + g,  p ← p − rate · m

- m is 0 before the first step, so that the first step's m is g itself: no (1 − momentum) anywhere, no dampening, no
  Nesterov.
- In a probe m is `<parameter>.state.m`. With momentum 0 there is no state.
)";
};

template <>
struct Description<Adam> {
  static constexpr std::string_view kType = "adam";
  static constexpr std::tuple kFields = {
      Number{"rate", &Adam::rate, config::kPositive, "the learning rate"},
      Number{"beta1", &Adam::beta1, config::kBelowOne, "how much of the first moment stays"},
      Number{"beta2", &Adam::beta2, config::kBelowOne, "how much of the second moment stays"},
      Number{"epsilon", &Adam::epsilon, config::kPositive, "added to the divisor"},
      Word{"epsilon_form", &Adam::epsilon_form, kEpsilonForms, "what it is added to"},
      DecayTable{"weight_decay", &Adam::weight_decay, "see below"}};
  static constexpr std::string_view kMeaning = R"(
    m ← beta1 · m + (1 − beta1) · g
    v ← beta2 · v + (1 − beta2) · g²
    outside:  p ← p − rate · m̂ / (√v̂ + epsilon),  m̂ = m / (1 − beta1^t),  v̂ = v / (1 − beta2^t)
    hat:      p ← p − rate · √(1 − beta2^t) / (1 − beta1^t) · m / (√v + epsilon)

- m and v are 0 before the first step; t is 1 in the first step, and `step` of a probe.
- In a probe m is `<parameter>.state.m`, v is `<parameter>.state.v`, both without the correction by 1 − beta^t.
)";
};

}  // namespace crossbind::model
