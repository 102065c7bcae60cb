// Descriptions of the layers that slide a window over an image, or change its border.
#pragma once

#include "model/description.h"

namespace crossbind::model {

template <>
struct Description<Conv2d> {
  static constexpr std::string_view kType = "conv2d";
  static constexpr std::tuple kFields = {
      InferredSize{"in_channels", &Conv2d::in_channels, "C, the channels of the input"},
      Size{"out_channels", &Conv2d::out_channels, "the channels of the output", "out"},
      HeightAndWidth{"kernel", &Conv2d::kernel, "the size of the window"},
      HeightAndWidth{"stride", &Conv2d::stride, "how far the window moves"},
      WindowPads{"pads", &Conv2d::pads, "zeros around the input"},
      Flag{"bias", &Conv2d::bias, "whether there is a bias"},
      InitialRule{}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [out_channels, H', W']";
  static constexpr std::string_view kParameters =
      "`weight` [out_channels, in_channels, kernel height, kernel width]; with `bias` also `bias` "
      "[out_channels]";
  static constexpr std::string_view kMeaning = R"(
    y[o, i, j] = bias[o] + Σ over c, a, b of weight[o, c, a, b] · x[c, i · stride height + a − top, j · stride width + b − left]
    H' = ⌊(H + top + bottom − kernel height) / stride height⌋ + 1, and W' likewise from left, right and the widths

- x is 0 outside of the input. The four pads may differ: `same` of a model file is already resolved to numbers, with
  the odd one at the bottom and at the right.
- It is a cross-correlation: the kernel is not turned. There is no dilation, and there are no groups.
)";
};

template <>
struct Description<MaxPool2d> {
  static constexpr std::string_view kType = "max_pool2d";
  static constexpr std::tuple kFields = {
      HeightAndWidth{"kernel", &MaxPool2d::kernel, "the size of the window"},
      HeightAndWidth{"stride", &MaxPool2d::stride, "how far the window moves"},
      WindowPads{"pads", &MaxPool2d::pads, "how far windows reach beyond the input"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [C, H', W'], H' and W' as in `conv2d`";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y[c, i, j] = the largest x[c, ·, ·] of the window that begins at (i · stride height − top, j · stride width − left)

- Padding is −∞: it never wins, also where all of the window is negative.
- The gradient goes to the winner alone. Of equal ones the first wins, in row-major order of the window.
- Where windows overlap, an element that wins several gets the sum of their gradients.
- A NaN in the window is the output.
)";
};

template <>
struct Description<AvgPool2d> {
  static constexpr std::string_view kType = "avg_pool2d";
  static constexpr std::tuple kFields = {
      HeightAndWidth{"kernel", &AvgPool2d::kernel, "the size of the window"},
      HeightAndWidth{"stride", &AvgPool2d::stride, "how far the window moves"},
      WindowPads{"pads", &AvgPool2d::pads, "zeros around the input"},
      Flag{"count_padding", &AvgPool2d::count_padding, "whether padding counts in the divisor"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [C, H', W'], H' and W' as in `conv2d`";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y[c, i, j] = (the sum of x[c, ·, ·] in the window) / divisor

- Padding adds 0 to the sum.
- With `count_padding` the divisor is kernel height · kernel width, for every window. Without, it is the number of the
  window's elements that lie inside of the input, so that windows at the border divide by less.
- Every element of a window gets the gradient of y divided by the same divisor.
)";
};

template <>
struct Description<GlobalAvgPool> {
  static constexpr std::string_view kType = "global_avg_pool";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [C]";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y[c] = (Σ over i, j of x[c, i, j]) / (H · W)
)";
};

template <>
struct Description<Pad> {
  static constexpr std::string_view kType = "pad";
  static constexpr std::tuple kFields = {
      FourPads{"pads", &Pad::pads, "what is put around the input"},
      Number{"value", &Pad::value, config::kFinite, "what it is filled with"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [C, H + top + bottom, W + left + right]";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y[c, i, j] = x[c, i − top, j − left] inside of the input, `value` elsewhere

- The gradient of x is the part of y's gradient that lies over it.
)";
};

}  // namespace crossbind::model
