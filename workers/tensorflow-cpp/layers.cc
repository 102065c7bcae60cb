#include "layers.h"

#include <tensorflow/cc/ops/array_ops.h>
#include <tensorflow/cc/ops/const_op.h>
#include <tensorflow/cc/ops/math_ops.h>
#include <tensorflow/cc/ops/nn_ops.h>
#include <tensorflow/core/graph/node_builder.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "layer_builder.h"

namespace crossbind::worker {

namespace ops = tensorflow::ops;
using tensorflow::Output;
using tensorflow::Scope;

namespace {

const model::Shape& shape_of(const model::Model& model, const model::Source& source) {
  return source.is_input ? model.inputs[source.index].shape : model.nodes[source.index].output;
}

struct Sides {
  int64_t before = 0;
  int64_t behind = 0;
  bool operator==(const Sides&) const = default;
};

// TensorFlow's 'SAME' along one axis.
Sides same_pads(int64_t size, int64_t kernel, int64_t stride) {
  const int64_t steps = (size + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((steps - 1) * stride + kernel - size, 0);
  return {total / 2, total - total / 2};
}

std::vector<int> of_image(const model::Pair& pair) {
  return {1, static_cast<int>(pair.height), static_cast<int>(pair.width), 1};
}

// The generated headers leave the stateless generators out.
Output stateless_uniform(const Scope& scope, const Output& shape, const Output& seed) {
  tensorflow::Node* node = nullptr;
  auto builder = tensorflow::NodeBuilder(scope.GetUniqueNameForOp("StatelessRandomUniform"),
                                         "StatelessRandomUniform")
                     .Input(shape.node(), shape.index())
                     .Input(seed.node(), seed.index());
  scope.UpdateBuilder(&builder);
  scope.UpdateStatus(builder.Finalize(scope.graph(), &node));
  return {node, 0};
}

}  // namespace

Output sizes(const Scope& scope, const model::Shape& values) {
  tensorflow::Tensor tensor(tensorflow::DT_INT64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.flat<tensorflow::int64>().data());
  return ops::Const(scope, tensor);
}

Output scalar(const Scope& scope, int64_t value) {
  return ops::Const(scope, static_cast<tensorflow::int64>(value));
}

template <typename Window>
bool LayerBuilder::is_same(const Window& window) const {
  const model::Shape& image = shape_of(model, node.inputs[0]);
  return Sides{window.pads.top, window.pads.bottom} ==
             same_pads(image[1], window.kernel.height, window.stride.height) &&
         Sides{window.pads.left, window.pads.right} ==
             same_pads(image[2], window.kernel.width, window.stride.width);
}

Output LayerBuilder::pad(const Output& x, const model::Pads& pads, float value) const {
  const auto side = [](int64_t pad) { return static_cast<int>(pad); };
  const tensorflow::Input::Initializer sides = {
      {0, 0}, {side(pads.top), side(pads.bottom)}, {side(pads.left), side(pads.right)}, {0, 0}};
  return ops::PadV2(scope, x, sides, value);
}

Output LayerBuilder::padded(const Output& x, const model::Pads& pads, float value) const {
  return pads == model::Pads{} ? x : pad(x, pads, value);
}

// The function of x with the graph's last dimension last, which in images is their width.
template <typename Apply>
Output LayerBuilder::over_last(const Output& x, Apply apply) const {
  if (node.output.size() != 3) {
    return apply(x);
  }
  const Output canonical = ops::Transpose(scope, x, {0, 3, 1, 2});
  return ops::Transpose(scope, apply(canonical), {0, 2, 3, 1});
}

Output LayerBuilder::operator()(const model::Conv2d& conv) {
  const bool same = is_same(conv);
  const Output image = same ? inputs[0] : padded(inputs[0], conv.pads, 0);
  const Output product =
      ops::Conv2D(scope, image, parameters[0], of_image(conv.stride), same ? "SAME" : "VALID");
  return conv.bias ? Output(ops::BiasAdd(scope, product, parameters[1])) : product;
}

Output LayerBuilder::operator()(const model::MaxPool2d& pool) {
  const bool same = is_same(pool);
  const Output image =
      same ? inputs[0] : padded(inputs[0], pool.pads, -std::numeric_limits<float>::infinity());
  return ops::MaxPool(
      scope, image, of_image(pool.kernel), of_image(pool.stride), same ? "SAME" : "VALID");
}

Output LayerBuilder::average(const model::AvgPool2d& pool, const Output& x) const {
  return ops::AvgPool(
      scope, padded(x, pool.pads, 0), of_image(pool.kernel), of_image(pool.stride), "VALID");
}

Output LayerBuilder::operator()(const model::AvgPool2d& pool) {
  const Output x = inputs[0];
  if (pool.count_padding || pool.pads == model::Pads{}) {
    return average(pool, x);
  }
  if (is_same(pool)) {  // TensorFlow's does not count it
    return ops::AvgPool(scope, x, of_image(pool.kernel), of_image(pool.stride), "SAME");
  }
  // OnesLike has no gradient, not even none.
  const Output ones = ops::AddV2(scope, ops::ZerosLike(scope, x), 1.0F);
  return ops::RealDiv(scope, average(pool, x), average(pool, ones));
}

Output LayerBuilder::operator()(const model::GlobalAvgPool&) {
  return ops::Mean(scope, inputs[0], {1, 2});
}

// Over the last dimension of whatever rank.
Output LayerBuilder::dense(const Output& x,
                           const Output& weight,
                           const std::optional<Output>& bias,
                           int64_t in,
                           int64_t out) const {
  const bool is_matrix = node.output.size() == 1;
  const Output rows = is_matrix ? x : Output(ops::Reshape(scope, x, sizes(scope, {-1, in})));
  Output product = ops::MatMul(scope, rows, weight);
  if (bias) {
    product = ops::BiasAdd(scope, product, *bias);
  }
  if (is_matrix) {
    return product;
  }
  model::Shape shape = node.output;
  shape.back() = out;
  shape.insert(shape.begin(), -1);
  return ops::Reshape(scope, product, sizes(scope, shape));
}

Output LayerBuilder::operator()(const model::Linear& linear) {
  return over_last(inputs[0], [&](const Output& x) {
    return dense(x,
                 parameters[0],
                 linear.bias ? std::optional(parameters[1]) : std::nullopt,
                 linear.in_features,
                 linear.out_features);
  });
}

// In the order of the graph, so that what comes after has its weights in that order too.
Output LayerBuilder::operator()(const model::Flatten&) {
  const bool is_image = shape_of(model, node.inputs[0]).size() == 3;
  const Output x = is_image ? Output(ops::Transpose(scope, inputs[0], {0, 3, 1, 2})) : inputs[0];
  return ops::Reshape(scope, x, sizes(scope, {-1, node.output[0]}));
}

Output LayerBuilder::operator()(const model::Tanh&) {
  return ops::Tanh(scope, inputs[0]);
}

Output LayerBuilder::operator()(const model::Relu&) {
  return ops::Relu(scope, inputs[0]);
}

Output LayerBuilder::operator()(const model::Sigmoid&) {
  return ops::Sigmoid(scope, inputs[0]);
}

Output LayerBuilder::operator()(const model::Gelu&) {
  const Output x = inputs[0];
  const Output erf = ops::Erf(scope, ops::Multiply(scope, x, std::numbers::sqrt2_v<float> / 2));
  const Output half = ops::Multiply(scope, x, 0.5F);
  return ops::Multiply(scope, half, ops::AddV2(scope, erf, 1.0F));
}

Output LayerBuilder::operator()(const model::Softmax&) {
  return over_last(inputs[0], [&](const Output& x) { return Output(ops::Softmax(scope, x)); });
}

Output LayerBuilder::running(const Output& before, const Output& now, double momentum) const {
  const Output kept = ops::Multiply(scope, before, static_cast<float>(1 - momentum));
  return ops::AddV2(scope, kept, ops::Multiply(scope, now, static_cast<float>(momentum)));
}

Output LayerBuilder::operator()(const model::BatchNorm& norm) {
  const bool is_image = node.output.size() == 3;
  const Output image =
      is_image ? inputs[0]
               : Output(ops::Reshape(scope, inputs[0], sizes(scope, {-1, 1, 1, norm.features})));
  const Output none = ops::Const(scope, tensorflow::Tensor(tensorflow::DT_FLOAT, {0}));
  const ops::FusedBatchNormV3 fused(scope,
                                    image,
                                    parameters[0],
                                    parameters[1],
                                    training != nullptr ? none : parameters[2],
                                    training != nullptr ? none : parameters[3],
                                    ops::FusedBatchNormV3::Epsilon(static_cast<float>(norm.epsilon))
                                        .IsTraining(training != nullptr));
  if (training != nullptr) {
    Output variance = fused.batch_variance;  // the unbiased one
    if (norm.running_variance == model::RunningVariance::kBiased) {
      const Output size = ops::Cast(scope, ops::Size(scope, image), tensorflow::DT_FLOAT);
      const Output count = ops::RealDiv(scope, size, static_cast<float>(norm.features));
      const Output share = ops::RealDiv(scope, ops::Subtract(scope, count, 1.0F), count);
      variance = ops::Multiply(scope, variance, share);
    }
    training->statistics.emplace_back(node.parameters[2],
                                      running(parameters[2], fused.batch_mean, norm.momentum));
    training->statistics.emplace_back(node.parameters[3],
                                      running(parameters[3], variance, norm.momentum));
  }
  return is_image ? fused.y
                  : Output(ops::Reshape(scope, fused.y, sizes(scope, {-1, norm.features})));
}

Output LayerBuilder::operator()(const model::LayerNorm& norm) {
  return over_last(inputs[0], [&](const Output& x) -> Output {
    const auto keep = ops::Mean::KeepDims(true);
    const Output mean = ops::Mean(scope, x, -1, keep);
    const Output variance = ops::Mean(scope, ops::SquaredDifference(scope, x, mean), -1, keep);
    const Output scale =
        ops::Rsqrt(scope, ops::AddV2(scope, variance, static_cast<float>(norm.epsilon)));
    const Output normal = ops::Multiply(scope, ops::Subtract(scope, x, mean), scale);
    return ops::AddV2(scope, ops::Multiply(scope, normal, parameters[0]), parameters[1]);
  });
}

// The masks depend on the draw and the layer alone, so that a training can be done again.
Output LayerBuilder::operator()(const model::Dropout& dropout) {
  const Output x = inputs[0];
  if (training == nullptr) {
    return ops::Identity(scope, x);  // an input itself could not be fetched
  }
  const auto layers = static_cast<int64_t>(model.nodes.size());
  const auto number = static_cast<int64_t>(&node - model.nodes.data());
  const Output place = ops::AddV2(
      scope, ops::Multiply(scope, training->draw, scalar(scope, layers)), scalar(scope, number));
  const Output seed = ops::Stack(scope, {scalar(scope, training->seed), place});
  const Output drawn = stateless_uniform(scope, ops::Shape(scope, x), seed);
  const Output rate = ops::Multiply(scope, training->dropout, static_cast<float>(dropout.rate));
  const Output kept = ops::Cast(scope, ops::GreaterEqual(scope, drawn, rate), tensorflow::DT_FLOAT);
  const Output mask = ops::RealDiv(scope, kept, ops::Subtract(scope, 1.0F, rate));
  return ops::Multiply(scope, x, ops::StopGradient(scope, mask));
}

Output LayerBuilder::operator()(const model::Pad& layer) {
  return pad(inputs[0], layer.pads, static_cast<float>(layer.value));
}

Output LayerBuilder::operator()(const model::Add&) {
  return ops::AddV2(scope, inputs[0], inputs[1]);
}

Outputs add_layers(const Scope& scope,
                   const model::Model& model,
                   const Outputs& inputs,
                   const Outputs& parameters,
                   TrainingMode* training) {
  Outputs outputs;
  for (const model::Node& node : model.nodes) {
    LayerBuilder builder{scope, model, node, {}, {}, training};
    for (const model::Source& source : node.inputs) {
      builder.inputs.push_back(source.is_input ? inputs[source.index] : outputs[source.index]);
    }
    for (const size_t index : node.parameters) {
      builder.parameters.push_back(parameters[index]);
    }
    outputs.push_back(std::visit(builder, node.layer));
  }
  return outputs;
}

}  // namespace crossbind::worker
