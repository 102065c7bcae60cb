// The kinds of fields that layers and optimizers have. The description of a type (description.h) is
// a tuple of these; readers, writers and the documentation have an overload for each kind and no
// default, so that a new kind does not compile until all of them have answered.
//
// Every kind has `key`, the field's name in the graph, `meaning`, a sentence of documentation, and
// says where it stands: in the graph (kInGraph), in model files (kInFile). Those of this file stand
// in both; one_sided_field.h has the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/named.h"
#include "config/table_reader.h"
#include "model/layer.h"
#include "model/training.h"

namespace crossbind::model {

// A size that the model's author chooses, from 1 on. These are what a smaller model has less of.
template <typename Owner>
struct Size {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  int64_t Owner::*member;
  std::string_view meaning;
  std::string_view file_key = key;
};

// A height and a width, from 1 on.
template <typename Owner>
struct HeightAndWidth {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  Pair Owner::*member;
  std::string_view meaning;
};

// Pads of all four sides.
template <typename Owner>
struct FourPads {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  Pads Owner::*member;
  std::string_view meaning;
};

// Pads of a window, which model files may also give as "valid" or "same".
template <typename Owner>
struct WindowPads {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  Pads Owner::*member;
  std::string_view meaning;
};

template <typename Owner>
struct Flag {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  bool Owner::*member;
  std::string_view meaning;
};

// 1 or 2.
template <typename Owner>
struct OneOrTwo {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  int Owner::*member;
  std::string_view meaning;
};

// Whether a number that is not 0 is something that a binding may lack ("sgd.momentum").
enum class NotZero { kIsNothingSpecial, kIsAForm };

template <typename Owner>
struct Number {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  double Owner::*member;
  config::Interval interval;
  std::string_view meaning;
  NotZero not_zero = NotZero::kIsNothingSpecial;
};

// One of some words.
template <typename Owner, typename Enum>
struct Word {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  Enum Owner::*member;
  std::type_identity_t<std::span<const Named<Enum>>> words;
  std::string_view meaning;

  [[nodiscard]] constexpr std::string_view name(const Owner& owner) const {
    return std::ranges::find(words, owner.*member, &Named<Enum>::value)->name;
  }
  [[nodiscard]] constexpr std::optional<Enum> value(std::string_view name) const {
    const auto found = std::ranges::find(words, name, &Named<Enum>::name);
    return found == words.end() ? std::nullopt : std::optional<Enum>(found->value);
  }
};

// A row of a table with `rows` rows, or none: null in the graph, left out of model files.
template <typename Owner>
struct OptionalRow {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  std::optional<int64_t> Owner::*member;
  int64_t Owner::*rows;
  std::string_view rows_key;
  std::string_view meaning;
};

// A table of an optimizer; all of it is 0 where a model file leaves it out.
template <typename Owner>
struct DecayTable {
  static constexpr bool kInGraph = true, kInFile = true;
  std::string_view key;
  WeightDecay Owner::*member;
  std::string_view meaning;
};

// The field's name in model files.
template <typename Field>
[[nodiscard]] constexpr std::string_view file_key(const Field& field) {
  return field.key;
}
template <typename Owner>
[[nodiscard]] constexpr std::string_view file_key(const Size<Owner>& field) {
  return field.file_key;
}

}  // namespace crossbind::model
