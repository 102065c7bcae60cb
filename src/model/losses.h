// What there is to know about a loss, said once. How a loss is computed is the referee's.
#pragma once

#include <span>
#include <string_view>

#include "model/model.h"

namespace crossbind::model {

// How the losses of a batch's samples become one number, as the graph calls it.
inline constexpr std::string_view kReduction = "mean";

struct LossDescription {
  bool (*takes)(const Shape& output);         // of the last layer
  std::string_view output;                    // what it takes, in words
  std::span<const std::string_view> targets;  // the tensors of a data set that it is held against
  std::string_view meaning;                   // in Markdown
};

[[nodiscard]] LossDescription describe(Loss loss);

// How many values a target of this model may have: its classes, or the positions of a span.
[[nodiscard]] int64_t class_count(const Model& model);

}  // namespace crossbind::model
