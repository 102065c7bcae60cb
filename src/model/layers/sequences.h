// Descriptions of the layers that read sequences, but for the recurrent ones.
#pragma once

#include "model/description.h"
#include "model/names.h"

namespace crossbind::model {

template <>
struct Description<Embedding> {
  static constexpr std::string_view kType = "embedding";
  static constexpr std::tuple kFields = {
      Word{"kind", &Embedding::kind, kEmbeddingKinds, "what chooses the row"},
      Size{"entries", &Embedding::entries, "the rows of the table"},
      Size{"width", &Embedding::width, "the columns of the table"},
      OptionalRow{"padding_index",
                  &Embedding::padding_index,
                  &Embedding::entries,
                  "entries",
                  "a row that is not trained"},
      InitialRule{}};
  static constexpr Inputs kInputs = Inputs::kFloatsOrIntegers;
  static constexpr std::string_view kShapes =
      "[T] → [T, width]; with `position` also [T, F] → [T, width]";
  static constexpr std::string_view kParameters = "`weight` [entries, width]";
  static constexpr std::string_view kMeaning = R"(
    token, segment:  y[t] = weight[x[t]]
    position:        y[t] = weight[t], t from 0

- `token` and `segment` compute the same; their input holds integers. `position` takes nothing of its input but the
  length, and adds to nothing: an `add` follows where a sum is meant.
- A row's gradient is the sum over all its occurrences in the batch. Rows that do not occur have the gradient 0, and the
  optimizer treats them like all others: momentum and Adam's moments go on moving them.
- The gradient of the row `padding_index` is 0. The row is read like any other, and weight decay applies to it; the
  initial weights have zeros there.
)";
};

template <>
struct Description<SelfAttention> {
  static constexpr std::string_view kType = "self_attention";
  static constexpr std::tuple kFields = {
      InferredSize{"width", &SelfAttention::width, "F, the features of a step"},
      Size{"heads", &SelfAttention::heads, "a divisor of `width`"},
      InferredFlag{"masked", &SelfAttention::masked, "whether there is a second input, the mask"},
      InitialRule{}};
  static constexpr Inputs kInputs = Inputs::kFloatsAndMask;
  static constexpr std::string_view kShapes =
      "[T, F] → [T, F]; the mask, an input of the model, is [T]";
  static constexpr std::string_view kParameters =
      "`query.weight` [F, F], `query.bias` [F], then `key`, `value` and `output` likewise; "
      "weights are [out, in]";
  static constexpr std::string_view kMeaning = R"(
    Q = x · query.weightᵀ + query.bias,  K = x · key.weightᵀ + key.bias,  V = x · value.weightᵀ + value.bias
    of head k, which has the columns k · d to (k + 1) · d − 1 of Q, K and V, with d = width / heads:
    P = softmax(Q_k · K_kᵀ / √d) over the keys,  C_k = P · V_k
    y = [C_0, C_1, …] · output.weightᵀ + output.bias

- A key whose mask is 0 has the score −∞, and so the probability 0, for every query of its sample. Other values keep it.
- The mask drops keys, not queries: the rows of dropped steps are computed too. A sample that keeps no key at all has no
  defined result.
- There is no dropout inside, no causal mask, and no second softmax. Dropout, residual sums and norms are layers of their
  own.
)";
};

template <>
struct Description<SelectLast> {
  static constexpr std::string_view kType = "select_last";
  static constexpr std::tuple<> kFields = {};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[T, F] → [F]";
  static constexpr std::string_view kParameters = "";
  static constexpr std::string_view kMeaning = R"(
    y = x[T − 1]

- It is the last step of all sequences, whatever the padding. The other steps' gradient is 0.
)";
};

}  // namespace crossbind::model
