#include "native_graph.h"

#include <tensorflow/cc/framework/gradients.h>
#include <tensorflow/cc/ops/array_ops.h>
#include <tensorflow/cc/ops/const_op.h>
#include <tensorflow/cc/ops/math_ops.h>
#include <tensorflow/cc/ops/nn_ops.h>
#include <tensorflow/cc/ops/no_op.h>
#include <tensorflow/cc/ops/resource_variable_ops.h>
#include <tensorflow/cc/ops/training_ops.h>

#include <algorithm>

#include "layers.h"
#include "layouts.h"
#include "session_options.h"

namespace crossbind::worker {
namespace {

namespace ops = tensorflow::ops;
using tensorflow::DataType;
using tensorflow::Operation;
using tensorflow::Output;
using tensorflow::Scope;

std::string name_of(const Output& output) {
  return output.node()->name() + ":" + std::to_string(output.index());
}

Names names_of(const Outputs& outputs) {
  Names names;
  names.reserve(outputs.size());
  std::ranges::transform(outputs, std::back_inserter(names), name_of);
  return names;
}

std::string definition_of(const Scope& scope) {
  tensorflow::GraphDef graph;
  check(scope.ToGraphDef(&graph));
  return graph.SerializeAsString();
}

// A variable whose value is read once for all that use it, before anything changes it.
struct Variable {
  Output handle;
  Output value;
  GraphVariable names;
};

Variable add_variable(const Scope& scope, DataType type, const model::Shape& shape) {
  const tensorflow::PartialTensorShape known(shape);
  const Output handle = ops::VarHandleOp(
      scope, type, known, ops::VarHandleOp::SharedName(scope.GetUniqueNameForOp("variable")));
  const Output value = ops::ReadVariableOp(scope, handle, type);
  const Output given = ops::Placeholder(scope, type, ops::Placeholder::Shape(known));
  const ops::AssignVariableOp assign(scope, handle, given);
  return {handle, value, {name_of(value), name_of(given), assign.operation.node()->name()}};
}

Output placeholder(const Scope& scope, DataType type, model::Shape shape) {
  shape.insert(shape.begin(), -1);
  return ops::Placeholder(
      scope, type, ops::Placeholder::Shape(tensorflow::PartialTensorShape(shape)));
}

Output mean_cross_entropy(const Scope& scope,
                          const Output& logits,
                          const Output& labels,
                          int64_t classes) {
  // The sparse form has no gradient in C++.
  const Output wanted = ops::OneHot(scope, labels, static_cast<int>(classes), 1.0F, 0.0F);
  return ops::Mean(scope, ops::SoftmaxCrossEntropyWithLogits(scope, logits, wanted).loss, 0);
}

// log(1 + exp(-|x|)) + max(x, 0) - x * label, in which nothing overflows.
Output mean_binary_cross_entropy(const Scope& scope, const Output& outputs, const Output& labels) {
  const Output x = ops::Reshape(scope, outputs, {-1});
  const Output label = ops::Cast(scope, labels, tensorflow::DT_FLOAT);
  const Output zeros = ops::ZerosLike(scope, x);
  const Output is_positive = ops::GreaterEqual(scope, x, zeros);
  const Output largest = ops::SelectV2(scope, is_positive, x, zeros);
  const Output negative = ops::SelectV2(scope, is_positive, ops::Negate(scope, x), x);
  const Output line = ops::Subtract(scope, largest, ops::Multiply(scope, x, label));
  const Output bend = ops::Log1p(scope, ops::Exp(scope, negative));
  return ops::Mean(scope, ops::AddV2(scope, line, bend), 0);
}

Output add_loss(const Scope& scope,
                const model::Model& model,
                const Output& outputs,
                const Outputs& targets) {
  const int64_t classes = model.nodes.back().output[0];
  if (model.loss == model::Loss::kBinaryCrossEntropy) {
    return mean_binary_cross_entropy(scope, outputs, targets[0]);
  }
  if (model.loss == model::Loss::kSpanCrossEntropy) {
    const Outputs ends = ops::Unstack(scope, outputs, 2, ops::Unstack::Axis(2)).output;
    const Output both = ops::AddV2(scope,
                                   mean_cross_entropy(scope, ends[0], targets[0], classes),
                                   mean_cross_entropy(scope, ends[1], targets[1], classes));
    return ops::Multiply(scope, both, 0.5F);
  }
  return mean_cross_entropy(scope, outputs, targets[0], classes);
}

// The operations of TensorFlow's own optimizers.
class UpdateBuilder {
 public:
  UpdateBuilder(const Scope& scope, const model::Model& model, const Output& step)
      : scope_(scope),
        model_(model),
        step_(step) {}

  void add(size_t parameter, const Variable& variable, const Output& gradient) {
    const model::Role role = model_.parameters[parameter].role;
    std::visit(
        [&](const auto& optimizer) {
          const model::WeightDecay& decay = optimizer.weight_decay;
          const bool decays = decay.value != 0 && (decay.applies_to == model::DecayApplies::kAll ||
                                                   role == model::Role::kWeight);
          const bool is_coupled = decay.form == model::DecayForm::kCoupled;
          const Operation applied = apply(
              optimizer,
              parameter,
              variable,
              decays && is_coupled ? sum(gradient, scaled(variable.value, decay.value)) : gradient);
          updates.push_back(applied);
          if (decays && !is_coupled) {
            updates.push_back(
                ops::AssignSubVariableOp(scope_.WithControlDependencies(std::vector{applied}),
                                         variable.handle,
                                         scaled(variable.value, optimizer.rate * decay.value))
                    .operation);
          }
        },
        model_.optimizer);
  }

  std::vector<GraphMoment> moments;
  std::vector<Operation> updates;

 private:
  Output sum(const Output& x, const Output& y) { return ops::AddV2(scope_, x, y); }
  Output scaled(const Output& x, double factor) {
    return ops::Multiply(scope_, x, static_cast<float>(factor));
  }

  Output moment(size_t parameter, const char* kind, const Variable& of) {
    tensorflow::PartialTensorShape shape;
    check(tensorflow::GetNodeAttr(of.handle.node()->attrs(), "shape", &shape));
    const auto sizes = shape.dim_sizes();
    const Variable added = add_variable(scope_, tensorflow::DT_FLOAT, {sizes.begin(), sizes.end()});
    moments.push_back({parameter, kind, added.names});
    return added.handle;
  }

  Operation apply(const model::Sgd& sgd,
                  size_t parameter,
                  const Variable& variable,
                  const Output& gradient) {
    const auto rate = static_cast<float>(sgd.rate);
    if (sgd.momentum == 0) {
      return ops::ResourceApplyGradientDescent(scope_, variable.handle, rate, gradient).operation;
    }
    return ops::ResourceApplyMomentum(scope_,
                                      variable.handle,
                                      moment(parameter, "m", variable),
                                      rate,
                                      gradient,
                                      static_cast<float>(sgd.momentum))
        .operation;
  }

  Operation apply(const model::Adam& adam,
                  size_t parameter,
                  const Variable& variable,
                  const Output& gradient) {
    return ops::ResourceApplyAdam(scope_,
                                  variable.handle,
                                  moment(parameter, "m", variable),
                                  moment(parameter, "v", variable),
                                  power(adam.beta1),
                                  power(adam.beta2),
                                  static_cast<float>(adam.rate),
                                  static_cast<float>(adam.beta1),
                                  static_cast<float>(adam.beta2),
                                  static_cast<float>(adam.epsilon),
                                  gradient)
        .operation;
  }

  Output power(double beta) {
    const Output exponent = ops::Cast(scope_, step_, tensorflow::DT_DOUBLE);
    return ops::Cast(scope_, ops::Pow(scope_, beta, exponent), tensorflow::DT_FLOAT);
  }

  const Scope& scope_;
  const model::Model& model_;
  Output step_;
};

// The variables, inputs and targets that both modes share.
struct Shared {
  std::vector<Variable> parameters;
  Outputs values;  // of the parameters
  Outputs inputs;
  Outputs targets;
};

Shared add_shared(const Scope& scope, const model::Model& model) {
  Shared shared;
  const auto axes = parameter_axes(model);
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    shared.parameters.push_back(add_variable(
        scope, tensorflow::DT_FLOAT, native_shape(model.parameters[i].shape, axes[i])));
    shared.values.push_back(shared.parameters.back().value);
  }
  for (const model::Input& input : model.inputs) {
    Axes axes_of_sample = batch_axes(input.shape.size() + 1);
    model::Shape batch = input.shape;
    batch.insert(batch.begin(), -1);
    batch = native_shape(batch, axes_of_sample);
    batch.erase(batch.begin());
    shared.inputs.push_back(placeholder(
        scope, input.is_integer() ? tensorflow::DT_INT64 : tensorflow::DT_FLOAT, batch));
  }
  const size_t targets = model.loss == model::Loss::kSpanCrossEntropy ? 2 : 1;
  for (size_t i = 0; i < targets; ++i) {
    shared.targets.push_back(placeholder(scope, tensorflow::DT_INT64, {}));
  }
  return shared;
}

// Also lists the moments that the update needs.
TrainingNodes add_training(const Scope& scope,
                           const model::Model& model,
                           const Shared& shared,
                           int64_t seed,
                           std::vector<GraphMoment>& moments) {
  const auto a_number = ops::Placeholder::Shape({});
  const Output step = ops::Placeholder(scope, tensorflow::DT_INT64, a_number);
  TrainingMode mode{.draw = ops::Placeholder(scope, tensorflow::DT_INT64, a_number),
                    .dropout = ops::Placeholder(scope, tensorflow::DT_FLOAT, a_number),
                    .seed = seed,
                    .statistics = {}};
  const Outputs outputs = add_layers(scope, model, shared.inputs, shared.values, &mode);
  const Output loss = add_loss(scope, model, outputs.back(), shared.targets);
  check(scope.status());
  TrainingNodes nodes{.step = name_of(step),
                      .draw = name_of(mode.draw),
                      .dropout = name_of(mode.dropout),
                      .outputs = names_of(outputs),
                      .loss = name_of(loss),
                      .gradients = {},
                      .update = {}};
  std::vector<size_t> trained;
  Outputs values;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    if (model::is_trainable(model.parameters[i].role)) {
      trained.push_back(i);
      values.push_back(shared.values[i]);
    }
  }
  Outputs gradients;
  check(tensorflow::AddSymbolicGradients(scope, {loss}, values, &gradients));
  UpdateBuilder builder(scope, model, step);
  for (size_t i = 0; i < trained.size(); ++i) {
    builder.add(trained[i], shared.parameters[trained[i]], gradients[i]);
    nodes.gradients.emplace_back(trained[i], name_of(gradients[i]));
  }
  for (const auto& [parameter, value] : mode.statistics) {
    builder.updates.push_back(
        ops::AssignVariableOp(scope, shared.parameters[parameter].handle, value).operation);
  }
  const ops::NoOp update(scope.WithControlDependencies(builder.updates));
  nodes.update = update.operation.node()->name();
  moments = std::move(builder.moments);
  return nodes;
}

// The graph, and what of it gradients are made of.
struct Made {
  NativeGraph graph;
  Outputs inputs;
  Outputs targets;
  Output loss;
};

Made add_graph(const Scope& scope, const model::Model& model, int64_t seed) {
  const Shared shared = add_shared(scope, model);
  const Outputs outputs = add_layers(scope, model, shared.inputs, shared.values, nullptr);
  const Output loss = add_loss(scope, model, outputs.back(), shared.targets);
  check(scope.status());
  NativeGraph graph;
  graph.inputs = names_of(shared.inputs);
  graph.targets = names_of(shared.targets);
  for (const Variable& variable : shared.parameters) {
    graph.parameters.push_back(variable.names);
  }
  graph.outputs = names_of(outputs);
  graph.loss = name_of(loss);
  if (can_train(model)) {
    graph.training = add_training(scope, model, shared, seed, graph.moments);
  }
  graph.definition = definition_of(scope);
  return {std::move(graph), shared.inputs, shared.targets, loss};
}

}  // namespace

bool can_train(const model::Model& model) {
  return std::ranges::none_of(model.nodes, [](const model::Node& node) {
    const bool is_recurrent = std::holds_alternative<model::Lstm>(node.layer) ||
                              std::holds_alternative<model::Gru>(node.layer);
    return is_recurrent && node.output[0] > kMaximumTrainedSteps;
  });
}

NativeGraph build_graph(const model::Model& model, int64_t seed) {
  return add_graph(Scope::NewRootScope(), model, seed).graph;
}

// Nodes are named by the order in which they are made: those of the same model have the same names.
InputGradients build_input_gradients(const model::Model& model, int64_t seed) {
  const Scope scope = Scope::NewRootScope();
  const Made made = add_graph(scope, model, seed);
  const int first_new = scope.graph()->num_node_ids();
  std::vector<size_t> numbers;
  Outputs inputs;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    if (!model.inputs[i].is_integer()) {
      numbers.push_back(i);
      inputs.push_back(made.inputs[i]);
    }
  }
  if (inputs.empty()) {
    return {};
  }
  // The loss is a mean: what it divides by cancels.
  const Output samples = ops::Cast(scope, ops::Size(scope, made.targets[0]), tensorflow::DT_FLOAT);
  Outputs gradients;
  check(tensorflow::AddSymbolicGradients(scope, {made.loss}, inputs, {samples}, &gradients));
  InputGradients added;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (gradients[i].node() != nullptr) {
      added.gradients.emplace_back(numbers[i], name_of(gradients[i]));
    }
  }
  tensorflow::GraphDef graph;
  scope.graph()->ToGraphDefSubRange(&graph, first_new);
  added.definition = graph.SerializeAsString();
  return added;
}

RowsGraph build_rows_graph(const std::vector<tensor::TensorView>& tensors) {
  const Scope scope = Scope::NewRootScope();
  const Output ids = placeholder(scope, tensorflow::DT_INT64, {});
  RowsGraph graph{.definition = {}, .tensors = {}, .ids = name_of(ids), .rows = {}};
  for (const tensor::TensorView& view : tensors) {
    const DataType type =
        view.dtype == tensor::DType::kI64 ? tensorflow::DT_INT64 : tensorflow::DT_FLOAT;
    const Variable variable = add_variable(scope, type, view.shape);
    graph.tensors.push_back(variable.names);
    graph.rows.push_back(name_of(ops::GatherV2(scope, variable.value, ids, 0)));
  }
  graph.definition = definition_of(scope);
  return graph;
}

}  // namespace crossbind::worker
