// Descriptions of the recurrent layers.
#pragma once

#include "model/description.h"
#include "model/names.h"

namespace crossbind::model {

template <>
struct Description<Lstm> {
  static constexpr std::string_view kType = "lstm";
  static constexpr std::string_view kGates = "ifgo";
  static constexpr std::tuple kFields = {
      InferredSize{"in_features", &Lstm::in_features, "F, the features of a step"},
      Size{"hidden", &Lstm::hidden, "the size of the state"},
      Constant{"gates", kGates, "their order in the parameters"},
      OneOrTwo{"biases", &Lstm::biases, "whether `bias_hh` is there besides `bias_ih`"},
      Word{"recurrent_activation",
           &Lstm::recurrent_activation,
           kRecurrentActivations,
           "the function of the gates"},
      InitialRule{},
      ForgetBias{}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[T, F] → [T, hidden], the state after every step";
  static constexpr std::string_view kParameters =
      "`weight_ih` [4 hidden, F], `weight_hh` [4 hidden, hidden], `bias_ih` [4 hidden]; with two "
      "biases also `bias_hh` [4 hidden]; rows in the order i, f, g, o, `hidden` of each";
  static constexpr std::string_view kMeaning = R"(
For each step, with h = c = 0 before the first, and gate the `recurrent_activation`:

    a = weight_ih · x[t] + bias_ih + weight_hh · h + bias_hh
    i = gate(a_i),  f = gate(a_f),  g = tanh(a_g),  o = gate(a_o)
    c ← f · c + i · g
    h ← o · tanh(c);  y[t] = h

- `sigmoid` is 1 / (1 + e^−a). `hard_sigmoid` is 0.2 · a + 0.5, cut off at 0 and 1; its derivative is 0.2 between them
  and 0 where it is cut off, at 0 and at 1 too.
- With one bias there is no `bias_hh`: it is no number that stays 0. With two, both are added and both are trained.
- Nothing is added to the forget gate: what it starts with is in the weights.
- Sequences have no lengths of their own: all T steps are computed, padding included.
)";
};

template <>
struct Description<Gru> {
  static constexpr std::string_view kType = "gru";
  static constexpr std::string_view kGates = "rzn";
  static constexpr std::tuple kFields = {
      InferredSize{"in_features", &Gru::in_features, "F, the features of a step"},
      Size{"hidden", &Gru::hidden, "the size of the state"},
      Constant{"gates", kGates, "their order in the parameters"},
      OneOrTwo{"biases", &Gru::biases, "whether `bias_hh` is there besides `bias_ih`"},
      Flag{"reset_after", &Gru::reset_after, "whether r is multiplied in after the product"},
      Word{"recurrent_activation",
           &Gru::recurrent_activation,
           kRecurrentActivations,
           "the function of the gates r and z"},
      InitialRule{}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[T, F] → [T, hidden], the state after every step";
  static constexpr std::string_view kParameters =
      "`weight_ih` [3 hidden, F], `weight_hh` [3 hidden, hidden], `bias_ih` [3 hidden]; with two "
      "biases also `bias_hh` [3 hidden]; rows in the order r, z, n, `hidden` of each";
  static constexpr std::string_view kMeaning = R"(
For each step, with h = 0 before the first; W is `weight_ih`, U `weight_hh`, b `bias_ih`, d `bias_hh` (absent with one
bias), and gate the `recurrent_activation` (see `lstm`):

    r = gate(W_r · x[t] + b_r + U_r · h + d_r)
    z = gate(W_z · x[t] + b_z + U_z · h + d_z)
    n = tanh(W_n · x[t] + b_n + r · (U_n · h + d_n))     with reset_after
    n = tanh(W_n · x[t] + b_n + U_n · (r · h) + d_n)     without
    h ← (1 − z) · n + z · h;  y[t] = h

- With `reset_after` the bias d_n is multiplied by r; without, it is not.
- z keeps the old state: where z is 1 nothing changes.
- Sequences have no lengths of their own: all T steps are computed, padding included.
)";
};

}  // namespace crossbind::model
