#include <tensorflow/cc/ops/array_ops.h>
#include <tensorflow/cc/ops/const_op.h>
#include <tensorflow/cc/ops/math_ops.h>
#include <tensorflow/cc/ops/nn_ops.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "layer_builder.h"

namespace crossbind::worker {

namespace ops = tensorflow::ops;
using tensorflow::Output;
using tensorflow::Scope;

namespace {

Outputs split(const Scope& scope, const Output& x, int parts) {
  return ops::Split(scope, 1, x, parts).output;
}

Output sum(const Scope& scope, const Output& x, const Output& y) {
  return ops::AddV2(scope, x, y);
}

Output product(const Scope& scope, const Output& x, const Output& y) {
  return ops::Multiply(scope, x, y);
}

// One step after the other, each a piece of graph: TensorFlow has no gradient of While in C++.
template <typename Step>
Output unroll(const Scope& scope, const Output& x, int64_t steps, Step step) {
  Outputs states;
  for (const Output& each : ops::Unstack(scope, x, steps, ops::Unstack::Axis(1)).output) {
    states.push_back(step(each));
  }
  return ops::Stack(scope, states, ops::Stack::Axis(1));
}

}  // namespace

Output LayerBuilder::operator()(const model::Embedding& embedding) {
  Output rows = inputs[0];
  if (embedding.kind == model::EmbeddingKind::kPosition) {
    model::Shape steps(static_cast<size_t>(node.output[0]));
    std::iota(steps.begin(), steps.end(), int64_t{0});
    rows = sum(scope, ops::ZerosLike(scope, rows), sizes(scope, steps));
  }
  const Output found = ops::GatherV2(scope, parameters[0], rows, 0);
  if (!embedding.padding_index) {
    return found;
  }
  const Output is_padding = ops::Equal(scope, rows, scalar(scope, *embedding.padding_index));
  return ops::SelectV2(
      scope, ops::ExpandDims(scope, is_padding, -1), ops::StopGradient(scope, found), found);
}

Output LayerBuilder::no_state(int64_t hidden) const {
  const Output samples = ops::Slice(scope, ops::Shape(scope, inputs[0]), {0}, {1});
  const Output width = ops::Const(scope, {static_cast<int>(hidden)});
  return ops::Fill(scope, ops::Concat(scope, {samples, width}, 0), 0.0F);
}

Output LayerBuilder::gate(const Output& x, model::RecurrentActivation activation) const {
  if (activation == model::RecurrentActivation::kSigmoid) {
    return ops::Sigmoid(scope, x);
  }
  const Output line = ops::AddV2(scope, ops::Multiply(scope, x, 0.2F), 0.5F);
  return ops::Minimum(scope, ops::Maximum(scope, line, 0.0F), 1.0F);
}

Output LayerBuilder::operator()(const model::Lstm& lstm) {
  const Output bias = lstm.biases == 2 ? sum(scope, parameters[2], parameters[3]) : parameters[2];
  const Output projected = dense(inputs[0], parameters[0], bias, lstm.in_features, 4 * lstm.hidden);
  Output hidden = no_state(lstm.hidden);
  Output cell = hidden;
  return unroll(scope, projected, node.output[0], [&](const Output& x) {
    const Output gates = sum(scope, x, ops::MatMul(scope, hidden, parameters[1]));
    const Outputs parts = split(scope, gates, 4);  // i f g o
    const Output kept = product(scope, gate(parts[1], lstm.recurrent_activation), cell);
    const Output added =
        product(scope, gate(parts[0], lstm.recurrent_activation), ops::Tanh(scope, parts[2]));
    cell = sum(scope, kept, added);
    hidden = product(scope, gate(parts[3], lstm.recurrent_activation), ops::Tanh(scope, cell));
    return hidden;
  });
}

Output LayerBuilder::operator()(const model::Gru& gru) {
  const Output projected =
      dense(inputs[0], parameters[0], parameters[2], gru.in_features, 3 * gru.hidden);
  const Outputs weights = split(scope, parameters[1], 3);  // r z n
  Outputs biases;
  if (gru.biases == 2) {
    biases = ops::Split(scope, 0, parameters[3], 3).output;
  }
  const auto recurrent = [&](const Output& state, size_t which) {
    const Output mixed = ops::MatMul(scope, state, weights[which]);
    return biases.empty() ? mixed : Output(ops::BiasAdd(scope, mixed, biases[which]));
  };
  Output hidden = no_state(gru.hidden);
  return unroll(scope, projected, node.output[0], [&](const Output& x) {
    const Outputs parts = split(scope, x, 3);
    const Output reset = gate(sum(scope, parts[0], recurrent(hidden, 0)), gru.recurrent_activation);
    const Output update =
        gate(sum(scope, parts[1], recurrent(hidden, 1)), gru.recurrent_activation);
    const Output past = gru.reset_after ? product(scope, reset, recurrent(hidden, 2))
                                        : recurrent(product(scope, reset, hidden), 2);
    const Output fresh = ops::Tanh(scope, sum(scope, parts[2], past));
    hidden = sum(scope,
                 product(scope, ops::Subtract(scope, 1.0F, update), fresh),
                 product(scope, update, hidden));
    return hidden;
  });
}

Output LayerBuilder::operator()(const model::SelfAttention& attention) {
  const int64_t steps = node.output[0];
  const int64_t depth = attention.width / attention.heads;
  const auto project = [&](const Output& x, size_t which) {
    return dense(
        x, parameters[2 * which], parameters[2 * which + 1], attention.width, attention.width);
  };
  const auto heads = [&](size_t which) -> Output {
    const Output split = ops::Reshape(
        scope, project(inputs[0], which), sizes(scope, {-1, steps, attention.heads, depth}));
    return ops::Transpose(scope, split, {0, 2, 1, 3});
  };
  const Output similar =
      ops::BatchMatMulV2(scope, heads(0), heads(1), ops::BatchMatMulV2::AdjY(true));
  Output scores =
      ops::Multiply(scope, similar, static_cast<float>(1 / std::sqrt(static_cast<double>(depth))));
  if (attention.masked) {
    const Output keep = ops::NotEqual(scope, inputs[1], ops::ZerosLike(scope, inputs[1]));
    scores = ops::SelectV2(scope,
                           ops::Reshape(scope, keep, sizes(scope, {-1, 1, 1, steps})),
                           scores,
                           -std::numeric_limits<float>::infinity());
  }
  const Output mixed = ops::BatchMatMulV2(scope, ops::Softmax(scope, scores), heads(2));
  const Output joined = ops::Reshape(scope,
                                     ops::Transpose(scope, mixed, {0, 2, 1, 3}),
                                     sizes(scope, {-1, steps, attention.width}));
  return project(joined, 3);
}

Output LayerBuilder::operator()(const model::SelectLast&) {
  const auto of_the_last_step =
      ops::StridedSlice::BeginMask(0b01).EndMask(0b01).ShrinkAxisMask(0b10);
  return ops::StridedSlice(scope, inputs[0], {0, -1}, {0, 0}, {1, 1}, of_the_last_step);
}

}  // namespace crossbind::worker
