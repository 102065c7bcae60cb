// Descriptions of the layers that treat every element, or every row, alike: linear ones,
// activations, dropout, sums, and the change of a shape.
#pragma once

#include "model/description.h"

namespace crossbind::model {

inline constexpr std::string_view kSameShape = "any → the same";

template <>
struct Description<Linear> {
  static constexpr std::string_view kType = "linear";
  static constexpr std::tuple kFields = {
      InferredSize{"in_features", &Linear::in_features, "the input's last dimension"},
      Size{"out_features", &Linear::out_features, "the output's last dimension", "out"},
      Flag{"bias", &Linear::bias, "whether there is a bias"},
      InitialRule{}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[..., in_features] → [..., out_features]";
  static constexpr std::string_view kParameters =
      "`weight` [out_features, in_features]; with `bias` also `bias` [out_features]";
  static constexpr std::string_view kMeaning = R"(
    y[…, o] = bias[o] + Σ over i of weight[o, i] · x[…, i]

- It is applied to the last dimension. A sequence [T, F] has its T rows multiplied by the same weight.
)";
};

template <>
struct Description<Flatten> {
  static constexpr std::string_view kType = "flatten";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "any → [the product of its dimensions]";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
The elements in row-major order of the canonical shape: an image [C, H, W] gives its first channel, row by row, then the
second. A binding that keeps images with the channels last transposes before it flattens, or has the weights of the next
layer transposed.
)";
};

template <>
struct Description<Tanh> {
  static constexpr std::string_view kType = "tanh";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = tanh(x)
)";
};

template <>
struct Description<Relu> {
  static constexpr std::string_view kType = "relu";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = 0 where x < 0, else x

- The derivative at 0 is 0. A NaN stays a NaN.
)";
};

template <>
struct Description<Sigmoid> {
  static constexpr std::string_view kType = "sigmoid";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = 1 / (1 + e^−x)
)";
};

template <>
struct Description<Gelu> {
  static constexpr std::string_view kType = "gelu";
  static constexpr std::tuple kFields = {
      Constant{"form", "erf", "by the error function, not by an approximation with tanh"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = x / 2 · (1 + erf(x / √2))
)";
};

template <>
struct Description<Softmax> {
  static constexpr std::string_view kType = "softmax";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y[…, i] = e^x[…, i] / Σ over k of e^x[…, k]

- Over the last dimension. Losses take logits: no model needs a softmax before its loss.
)";
};

template <>
struct Description<Dropout> {
  static constexpr std::string_view kType = "dropout";
  static constexpr std::tuple kFields = {
      Number{"rate", &Dropout::rate, config::kBelowOne, "the probability that an element is 0"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = kSameShape;
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
- In training, each element of each sample for itself: 0 with probability `rate`, else x / (1 − rate). The gradient is
  multiplied by the same factors.
- In evaluation y = x, without a factor.
- In a probe y = x in both modes, unless it asks for `dropout`: then as in training.
- Masks come from the worker's own generator, which `settings.seed` seeds; two bindings need not draw the same ones.
)";
};

template <>
struct Description<Add> {
  static constexpr std::string_view kType = "add";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kTwoOfFloats;
  static constexpr std::string_view kShapes = "two of the same shape → that shape";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = a + b, element by element

- Both inputs get y's gradient. An output that several layers read gets the sum of their gradients.
)";
};

}  // namespace crossbind::model
