#include "conform/premise.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using model::BatchNorm;

void scale_gate(Work& work, const std::string& name, size_t begin, size_t count, float factor) {
  rewrite(work.state.at(name), [&](std::span<float> values) {
    for (float& value : values.subspan(begin, count)) {
      value *= factor;
    }
  });
}

// Exchanges two of the equal pieces of every parameter of a recurrent layer.
void swap_gates(Work& work, const std::string& layer, size_t gates, size_t a, size_t b) {
  for (auto& [name, tensor] : work.state) {
    if (name.starts_with(layer + ".") && name.find(".state") == std::string::npos) {
      rewrite(tensor, [&](std::span<float> values) {
        const size_t size = values.size() / gates;
        std::ranges::swap_ranges(values.subspan(a * size, size), values.subspan(b * size, size));
      });
    }
  }
}

// A matrix as it stands in memory when its rows and columns are exchanged.
void transpose(tensor::Tensor& tensor, size_t rows, size_t columns) {
  const auto old = values_of(tensor);
  rewrite(tensor, [&](std::span<float> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = old[i % rows * columns + i / rows];
    }
  });
}

std::vector<Bug> layer_bugs() {
  return {
      {"lstm_gates",
       "lstm",
       true,
       [](Work& w, const Steps&) { swap_gates(w, "lstm", 4, 2, 3); },
       {},
       "lstm.out",
       "LSTM gates in the order i, f, o, g"},
      {"lstm_gates_three",
       "lstm",
       true,
       [](Work& w, const Steps&) {
         swap_gates(w, "lstm", 4, 0, 1);
         swap_gates(w, "lstm", 4, 1, 2);
       },
       {},
       "lstm.out",
       "LSTM gates in the order g, i, f, o"},
      {"gru_gates",
       "gru",
       true,
       [](Work& w, const Steps&) { swap_gates(w, "gru", 3, 0, 1); },
       {},
       "gru.out",
       "GRU gates in the order z, r, n"},
      {"gru_reset",
       "gru",
       true,
       [](Work& w, const Steps&) { layer<model::Gru>(w, "gru").reset_after = false; },
       {},
       "gru.out",
       "GRU applies the reset gate before the product"},
      {"gru_bias",
       "gru",
       true,
       [](Work& w, const Steps&) { scale_gate(w, "gru.bias_hh", 0, 15, 0); },
       {},
       "gru.out",
       "bias_hh missing"},
      {"lstm_biases",
       "lstm",
       true,
       [](Work& w, const Steps&) { scale_gate(w, "lstm.bias_ih", 0, 24, 2); },
       {},
       "lstm.out",
       "bias_ih added twice"},
      {"hard_sigmoid",
       "lstm",
       true,
       [](Work& w, const Steps&) {
         layer<model::Lstm>(w, "lstm").recurrent_activation =
             model::RecurrentActivation::kHardSigmoid;
       },
       {},
       "lstm.out",
       "gates with a hard sigmoid"},
      {"recurrent_matrix",
       "lstm",
       true,
       [](Work& w, const Steps&) { transpose(w.state.at("lstm.weight_hh"), 24, 6); },
       {},
       "lstm.out",
       "weight_hh [in, out] read as [out, in]"},
      {"square_matrix",
       "image",
       true,
       [](Work& w, const Steps&) { transpose(w.state.at("square.weight"), 16, 16); },
       {},
       "square.out",
       "weight [in, out] read as [out, in]"},
      {"oblong_matrix",
       "image",
       true,
       [](Work& w, const Steps&) { transpose(w.state.at("fc.weight"), 5, 16); },
       {},
       "fc.out",
       "weight [in, out] read as [out, in]"},
      {"oblong_matrix_back",
       "image",
       true,
       [](Work& w, const Steps&) { transpose(w.state.at("fc.weight"), 16, 5); },
       {},
       "fc.out",
       "weight [out, in] read as [in, out]"},
      {"channels_last",
       "image",
       true,
       [](Work& w, const Steps&) {
         for (size_t o = 0; o < 4; ++o) {  // each [in, window] as [window, in]
           const auto all = values_of(w.state.at("conv1.weight"));
           rewrite(w.state.at("conv1.weight"), [&](std::span<float> values) {
             for (size_t i = 0; i < 27; ++i) {
               values[o * 27 + i] = all[o * 27 + i % 3 * 9 + i / 3];
             }
           });
         }
       },
       {},
       "conv1.out",
       "weight [out, height, width, in] read as [out, in, height, width]"},
      {"conv_bias",
       "image",
       true,
       [](Work& w, const Steps&) { scale_gate(w, "conv1.bias", 0, 4, 0); },
       {},
       "conv1.out",
       "bias missing"},
      {"fc_bias",
       "image",
       true,
       [](Work& w, const Steps&) { scale_gate(w, "fc.bias", 0, 5, 2); },
       {},
       "fc.out",
       "bias added twice"},
      {"conv_side",
       "image",
       true,
       [](Work& w, const Steps&) {
         layer<model::Conv2d>(w, "conv1").pads = {1, 1, 0, 0};
       },
       {},
       "conv1.out",
       "convolution padded at the other side"},
      {"pool_side",
       "image",
       true,
       [](Work& w, const Steps&) {
         layer<model::MaxPool2d>(w, "pool").pads = {1, 1, 0, 0};
       },
       {},
       "pool.out",
       "max pool padded at the other side"},
      {"average_padding",
       "image",
       true,
       [](Work& w, const Steps&) { layer<model::AvgPool2d>(w, "mean").count_padding = true; },
       {},
       "mean.out",
       "average pool counts its padding"},
      {"batch_norm_epsilon",
       "image",
       true,
       [](Work& w, const Steps&) { layer<BatchNorm>(w, "bn").epsilon = 1e-3; },
       {},
       "bn.out",
       "batch-norm epsilon 0.001 instead of 1e-05"},
      {"layer_norm_epsilon",
       "lstm",
       true,
       [](Work& w, const Steps&) { layer<model::LayerNorm>(w, "norm").epsilon = 1e-5; },
       {},
       "norm.out",
       "layer-norm epsilon 1e-05 instead of 1e-12"},
      {"stale_layer",
       "image",
       true,
       [](Work& w, const Steps& s) {
         w.state.at("square.weight") = s.first.state.at("square.weight");
         w.state.at("square.bias") = s.first.state.at("square.bias");
       },
       {},
       "square.out",
       "computed with the parameters of the step before"},
      {"stale_step",
       "flat",
       true,
       [](Work& w, const Steps& s) { w.state = s.first.state; },
       {},
       "fc1.out",
       "computed with the parameters of the step before"},
  };
}

class LayerCause : public ::testing::TestWithParam<Bug> {};

TEST_P(LayerCause, IsNamed) {
  check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bugs, LayerCause, ::testing::ValuesIn(layer_bugs()), name_of_bug);

}  // namespace
}  // namespace crossbind::conform
