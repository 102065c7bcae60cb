// Makes the operations of one layer; layers.cc has those of images and values, sequence_layers.cc
// those of sequences.
#pragma once

#include <optional>

#include "layers.h"

namespace crossbind::worker {

// Constants, int64.
[[nodiscard]] tensorflow::Output sizes(const tensorflow::Scope& scope, const model::Shape& values);
[[nodiscard]] tensorflow::Output scalar(const tensorflow::Scope& scope, int64_t value);

struct LayerBuilder {
  using Scope = tensorflow::Scope;
  using Output = tensorflow::Output;

  const Scope& scope;
  const model::Model& model;
  const model::Node& node;
  Outputs inputs;
  Outputs parameters;  // of this layer
  TrainingMode* training;

  Output operator()(const model::Conv2d& conv);
  Output operator()(const model::MaxPool2d& pool);
  Output operator()(const model::AvgPool2d& pool);
  Output operator()(const model::GlobalAvgPool&);
  Output operator()(const model::Linear& linear);
  Output operator()(const model::Flatten&);
  Output operator()(const model::Tanh&);
  Output operator()(const model::Relu&);
  Output operator()(const model::Sigmoid&);
  Output operator()(const model::Gelu&);
  Output operator()(const model::Softmax&);
  Output operator()(const model::BatchNorm& norm);
  Output operator()(const model::LayerNorm& norm);
  Output operator()(const model::Dropout& dropout);
  Output operator()(const model::Embedding& embedding);
  Output operator()(const model::Lstm& lstm);
  Output operator()(const model::Gru& gru);
  Output operator()(const model::Pad& layer);
  Output operator()(const model::Add&);
  Output operator()(const model::SelfAttention& attention);
  Output operator()(const model::SelectLast&);

 private:
  template <typename Window>
  [[nodiscard]] bool is_same(const Window& window) const;
  [[nodiscard]] Output pad(const Output& x, const model::Pads& pads, float value) const;
  [[nodiscard]] Output padded(const Output& x, const model::Pads& pads, float value) const;
  [[nodiscard]] Output average(const model::AvgPool2d& pool, const Output& x) const;
  template <typename Apply>
  [[nodiscard]] Output over_last(const Output& x, Apply apply) const;
  [[nodiscard]] Output dense(const Output& x,
                             const Output& weight,
                             const std::optional<Output>& bias,
                             int64_t in,
                             int64_t out) const;
  [[nodiscard]] Output running(const Output& before, const Output& now, double momentum) const;
  [[nodiscard]] Output no_state(int64_t hidden) const;
  [[nodiscard]] Output gate(const Output& x, model::RecurrentActivation activation) const;
};

}  // namespace crossbind::worker
