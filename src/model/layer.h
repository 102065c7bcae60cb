// The typed layers a model is made of. Everything two bindings could read differently is a field:
// nothing is left to a binding's default. Sizes that follow from the layer's input (in_channels,
// features, ...) are filled in by shape inference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace crossbind::model {

struct Pair {
  int64_t height = 1;
  int64_t width = 1;
  bool operator==(const Pair&) const = default;
};

struct Pads {
  int64_t top = 0;
  int64_t left = 0;
  int64_t bottom = 0;
  int64_t right = 0;
  bool operator==(const Pads&) const = default;
};

// Weight [out, in, kernel height, kernel width]; cross-correlation, zero padding.
struct Conv2d {
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  Pair kernel;
  Pair stride;
  Pads pads;
  bool bias = true;
};

// Padding counts as minus infinity; ties go to the first element in row-major order.
struct MaxPool2d {
  Pair kernel;
  Pair stride;
  Pads pads;
};

struct AvgPool2d {
  Pair kernel;
  Pair stride;
  Pads pads;
  bool count_padding = false;  // whether padding counts in the divisor
};

struct GlobalAvgPool {};  // [C, H, W] -> [C]

// Weight [out, in]; applied to the last dimension.
struct Linear {
  int64_t in_features = 0;
  int64_t out_features = 0;
  bool bias = true;
};

struct Flatten {};
struct Tanh {};
struct Relu {};  // derivative at 0 is 0
struct Sigmoid {};
struct Gelu {};     // x * Phi(x), by erf
struct Softmax {};  // over the last dimension

enum class RunningVariance { kUnbiased, kBiased };

// Over the channels of [C, H, W] or the features of [F]. Normalises by the biased batch variance.
struct BatchNorm {
  int64_t features = 0;
  double epsilon = 0;
  double momentum = 0;  // weight of the new value in the running statistics
  RunningVariance running_variance = RunningVariance::kUnbiased;
};

struct LayerNorm {  // over the last dimension
  int64_t features = 0;
  double epsilon = 0;
};

struct Dropout {  // inverted: scaled by 1 / (1 - rate) in training, identity in evaluation
  double rate = 0;
};

enum class EmbeddingKind { kToken, kPosition, kSegment };

// token, segment: rows of the table by the integers of the input. position: row t for step t, added
// to nothing: the input gives only the length.
struct Embedding {
  EmbeddingKind kind = EmbeddingKind::kToken;
  int64_t entries = 0;
  int64_t width = 0;
  std::optional<int64_t> padding_index;  // this row's gradient is 0
};

enum class RecurrentActivation { kSigmoid, kHardSigmoid };  // hard: clip(0.2 x + 0.5, 0, 1)

// [T, in] -> [T, hidden]. Gates i f g o; weight_ih [4 hidden, in], weight_hh [4 hidden, hidden],
// bias_ih and, with two biases, bias_hh.
struct Lstm {
  int64_t in_features = 0;
  int64_t hidden = 0;
  int biases = 2;
  RecurrentActivation recurrent_activation = RecurrentActivation::kSigmoid;
};

// [T, in] -> [T, hidden]. Gates r z n; h' = (1 - z) n + z h.
// reset_after:  n = tanh(W x + b_ih + r (U h + b_hh));  else n = tanh(W x + b_ih + U (r h) + b_hh).
struct Gru {
  int64_t in_features = 0;
  int64_t hidden = 0;
  int biases = 2;
  bool reset_after = true;
  RecurrentActivation recurrent_activation = RecurrentActivation::kSigmoid;
};

struct Pad {  // of [C, H, W]
  Pads pads;
  double value = 0;
};

struct Add {};  // two inputs of the same shape

// softmax(Q K^T / sqrt(width / heads)) V, then the output projection; query, key, value and output
// are linear with bias. An optional second input, the mask (1 keep, 0 drop), removes keys.
struct SelfAttention {
  int64_t width = 0;
  int64_t heads = 1;
  bool masked = false;
};

struct SelectLast {};  // [T, F] -> [F], the last step

using Layer = std::variant<Conv2d,
                           MaxPool2d,
                           AvgPool2d,
                           GlobalAvgPool,
                           Linear,
                           Flatten,
                           Tanh,
                           Relu,
                           Sigmoid,
                           Gelu,
                           Softmax,
                           BatchNorm,
                           LayerNorm,
                           Dropout,
                           Embedding,
                           Lstm,
                           Gru,
                           Pad,
                           Add,
                           SelfAttention,
                           SelectLast>;

// The name of a layer's type in model files and in the graph: "conv2d", "max_pool2d", ...
[[nodiscard]] std::string_view type_name(const Layer& layer);

}  // namespace crossbind::model
