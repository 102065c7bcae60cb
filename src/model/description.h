// What there is to know about a type of layer or optimizer, said once: its name, its fields, its
// inputs, its parameters, and what it computes. Readers, writers, forms, shrinking and
// docs/layers.md are made from it. A type without a Description does not compile where one of them
// is needed, which is the point.
//
//   kType        its name in model files and in the graph
//   kFields      a tuple of the kinds of field.h, in the graph's order
//   kMeaning     what it computes, in Markdown
// and of layers only:
//   kInputs      how many inputs it has, and of what
//   kShapes      of one sample, in Markdown
//   kParameters  their names and shapes in canonical order, in Markdown; empty where it has none
#pragma once

#include <tuple>

#include "model/field.h"
#include "model/one_sided_field.h"

namespace crossbind::model {

template <typename Described>
struct Description;

enum class Inputs {
  kFloats,           // one input
  kTwoOfFloats,      // two inputs
  kFloatsAndMask,    // one input, and perhaps a mask, which may be integers
  kFloatsOrIntegers  // one input
};

// Calls visit(field) for each field of a type.
template <typename Described, typename Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Description<Described>::kFields);
}

}  // namespace crossbind::model
