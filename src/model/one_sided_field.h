// The kinds of fields that stand in the graph alone, because they follow from something else, or in
// model files alone, because a model does not keep them. field.h has the others.
#pragma once

#include <cstdint>
#include <string_view>

namespace crossbind::model {

// A size that shape inference fills in.
template <typename Owner>
struct InferredSize {
  static constexpr bool kInGraph = true, kInFile = false;
  std::string_view key;
  int64_t Owner::*member;
  std::string_view meaning;
};

// A truth value that follows from the layer's inputs.
template <typename Owner>
struct InferredFlag {
  static constexpr bool kInGraph = true, kInFile = false;
  std::string_view key;
  bool Owner::*member;
  std::string_view meaning;
};

// A convention that has one form so far, said aloud.
struct Constant {
  static constexpr bool kInGraph = true, kInFile = false;
  std::string_view key;
  std::string_view value;
  std::string_view meaning;
};

// How a layer's first weights are drawn: not the layer's but the model file's, and optional.
struct InitialRule {
  static constexpr bool kInGraph = false, kInFile = true;
  std::string_view key = "init";
  std::string_view meaning = "the rule that the first weights are drawn by, instead of the model's";
};

// What an LSTM's forget gate starts with: of the model file alone, and optional.
struct ForgetBias {
  static constexpr bool kInGraph = false, kInFile = true;
  std::string_view key = "forget_bias";
  std::string_view meaning = "what the forget gate's part of `bias_ih` starts at";
};

}  // namespace crossbind::model
