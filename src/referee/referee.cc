#include "referee/referee.h"

#include "referee/output_gradients.h"

namespace crossbind::referee {

AnchoredPass::AnchoredPass(Network<double>& network,
                           const std::vector<Array<double>>& inputs,
                           const std::vector<Array<double>>& recorded,
                           Mode mode)
    : network_(network),
      inputs_(inputs),
      recorded_(recorded),
      mode_(mode),
      outputs_(network.model().nodes.size()) {}

void AnchoredPass::ensure_forward(size_t node) {
  auto& output = outputs_[node];
  if (!output.value.values.empty()) {
    return;
  }
  const auto operands = network_.operands(node, inputs_, recorded_, mode_);
  if (!recorded_[node].values.empty()) {
    network_.op(node).take_draw(operands, recorded_[node]);
  }
  output.value = Array<double>(network_.output_shape(node, inputs_[0].batch()));
  network_.op(node).forward(operands, output.value);
  Array<double> variance(output.value.shape);
  network_.op(node).forward_error(operands, output.value, variance);
  output = bounded(std::move(output.value), variance);
}

Bounded AnchoredPass::forward(size_t node) {
  ensure_forward(node);
  return outputs_[node];
}

std::vector<Bounded> AnchoredPass::buffers(size_t node) {
  ensure_forward(node);
  const auto& parameters = network_.model().nodes[node].parameters;
  std::vector<Bounded> result(parameters.size());
  std::vector<Array<double>> values;
  std::vector<Array<double>> variances;
  for (const size_t parameter : parameters) {
    values.push_back(network_.parameter(parameter));
    variances.emplace_back(values.back().shape);
  }
  auto operands = network_.operands(node, inputs_, recorded_, mode_);
  std::vector<Array<double>*> variance_pointers;
  for (size_t i = 0; i < parameters.size(); ++i) {
    operands.parameters[i] = &values[i];
    variance_pointers.push_back(&variances[i]);
  }
  network_.op(node).buffer_error(operands, variance_pointers);
  network_.op(node).update_buffers(operands);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!model::is_trainable(network_.model().parameters[parameters[i]].role)) {
      result[i] = bounded(std::move(values[i]), variances[i]);
    }
  }
  return result;
}

AnchoredPass::Backward AnchoredPass::backward(const Targets& targets, InputGradients wanted) {
  const auto& model = network_.model();
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    ensure_forward(i);
  }
  const auto loss = compute_loss(model.loss, network_.math(), recorded_.back(), targets);
  Backward result;
  result.loss.value = result.loss.unit = Array<double>(Shape{1});
  result.loss.value[0] = loss.value;
  result.loss.unit[0] = kUnitRoundoff * std::sqrt(loss.value_variance);

  std::vector<Array<double>> gradients, gradient_variances;
  for (const auto& parameter : model.parameters) {
    const bool trainable = model::is_trainable(parameter.role);
    gradients.push_back(trainable ? Array<double>(parameter.shape) : Array<double>());
    gradient_variances.push_back(gradients.back());
  }
  OutputGradients<double> values(network_, recorded_, loss.gradient, wanted);
  OutputGradients<double> variances(network_, recorded_, loss.gradient_variance, wanted);
  for (size_t i = model.nodes.size(); i-- > 0;) {
    if (!values.has(i)) {
      continue;
    }
    const auto operands = network_.operands(i, inputs_, recorded_, mode_);
    network_.op(i).backward(
        operands, recorded_[i], values.of(i), values.targets_of(i, inputs_, gradients));
    network_.op(i).backward_error(operands,
                                  recorded_[i],
                                  values.of(i),
                                  variances.of(i),
                                  variances.targets_of(i, inputs_, gradient_variances));
    values.drop(i);
    variances.drop(i);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    result.gradients.push_back(bounded(std::move(gradients[i]), gradient_variances[i]));
  }
  auto input_gradients = values.take_inputs();
  const auto input_variances = variances.take_inputs();
  for (size_t i = 0; i < input_gradients.size(); ++i) {
    result.inputs.push_back(bounded(std::move(input_gradients[i]), input_variances[i]));
  }
  return result;
}

AnchoredUpdate update_from(const model::Optimizer& optimizer,
                           model::Role role,
                           int64_t step,
                           const Array<double>& parameter,
                           const Array<double>& gradient,
                           const OptimizerState<double>& state) {
  const auto variance = update_error(optimizer, role, step, gradient, state, parameter);
  auto next = parameter;
  auto next_state = state;
  update(optimizer, role, step, gradient, next_state, next);
  return {bounded(std::move(next), variance.parameter),
          bounded(std::move(next_state.m), variance.m),
          bounded(std::move(next_state.v), variance.v)};
}

}  // namespace crossbind::referee
