#include "referee/network.h"

#include "referee/output_gradients.h"
#include "referee/rounding.h"

namespace crossbind::referee {
namespace {

template <typename T, typename Source>
void convert(std::span<const Source> from, Array<T>& to) {
  std::ranges::transform(from, to.values.begin(), [](Source v) { return static_cast<T>(v); });
}

template <typename T>
Status load_one(const model::Parameter& parameter,
                const tensor::TensorMap& values,
                Array<T>& target) {
  const auto found = values.find(parameter.name);
  if (found == values.end()) {
    return fail(ErrorKind::kInvalid, "no value for parameter '{}'", parameter.name);
  }
  const auto view = found->second.view();
  if (view.shape != parameter.shape) {
    return fail(ErrorKind::kInvalid,
                "parameter '{}' has shape {}, the model needs {}",
                parameter.name,
                tensor::to_string(view.shape),
                tensor::to_string(parameter.shape));
  }
  if (view.dtype == tensor::DType::kF64) {
    CB_ASSIGN(const auto wide, view.as<double>());
    convert<T, double>(wide, target);
    return {};
  }
  auto narrow = view.as<float>();
  if (!narrow) {
    return tl::unexpected(std::move(narrow).error().at("parameter '" + parameter.name + "'"));
  }
  convert<T, float>(*narrow, target);
  return {};
}

}  // namespace

template <typename T>
Network<T>::Network(const model::Model& model, Execution execution, DropoutSource dropout)
    : model_(model),
      math_(execution),
      rounds_outputs_(execution.rounds_outputs),
      dropout_(dropout) {
  for (const auto& parameter : model.parameters) {
    parameters_.emplace_back(parameter.shape);
    const bool trainable = model::is_trainable(parameter.role);
    gradients_.push_back(trainable ? Array<T>(parameter.shape) : Array<T>());
    states_.push_back(trainable ? initial_state<T>(model.optimizer, parameter.shape)
                                : OptimizerState<T>());
  }
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const auto& node = model.nodes[i];
    ops_.push_back(make_op<T>(node.layer, math_, dropout_, static_cast<uint32_t>(i)));
    bool trained = !node.parameters.empty();
    bool sees_floats = false;
    for (const auto& source : node.inputs) {
      trained = trained || needs_gradient(source);
      sees_floats = sees_floats || needs_gradient(source, InputGradients::kWanted);
    }
    trained_.push_back(trained);
    sees_floats_.push_back(sees_floats);
  }
  outputs_.resize(model.nodes.size());
}

template <typename T>
bool Network<T>::needs_gradient(const model::Source& source, InputGradients wanted) const {
  const bool goes_on = wanted == InputGradients::kWanted;
  if (source.is_input) {
    return goes_on && !model_.inputs[source.index].is_integer();
  }
  return trained_[source.index] || (goes_on && sees_floats_[source.index]);
}

template <typename T>
Status Network<T>::load(const tensor::TensorMap& values) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    CB_TRY(load_one(model_.parameters[i], values, parameters_[i]));
  }
  return {};
}

template <typename T>
tensor::TensorMap Network<T>::parameters_as_float32() const {
  tensor::TensorMap result;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    result.emplace(model_.parameters[i].name, as_float32(parameters_[i]));
  }
  return result;
}

template <typename T>
Shape Network<T>::output_shape(size_t node, int64_t batch) const {
  Shape shape = {batch};
  shape.insert(shape.end(), model_.nodes[node].output.begin(), model_.nodes[node].output.end());
  return shape;
}

template <typename T>
Operands<T> Network<T>::operands(size_t node,
                                 const std::vector<Array<T>>& inputs,
                                 const std::vector<Array<T>>& outputs,
                                 Mode mode) {
  Operands<T> result;
  result.mode = mode;
  for (const auto& source : model_.nodes[node].inputs) {
    result.inputs.push_back(source.is_input ? &inputs[source.index] : &outputs[source.index]);
  }
  for (const size_t parameter : model_.nodes[node].parameters) {
    result.parameters.push_back(&parameters_[parameter]);
  }
  return result;
}

template <typename T>
void Network<T>::forward(const std::vector<Array<T>>& inputs, Mode mode) {
  dropout_.step = static_cast<uint32_t>(step_);
  mode_ = mode;
  for (size_t i = 0; i < ops_.size(); ++i) {
    auto shape = output_shape(i, inputs[0].batch());
    if (outputs_[i].shape == shape) {
      std::ranges::fill(outputs_[i].values, T{0});
    } else {
      outputs_[i] = Array<T>(std::move(shape));
    }
    ops_[i]->forward(operands(i, inputs, outputs_, mode), outputs_[i]);
    if (rounds_outputs_) {
      round_to_float32(outputs_[i]);
    }
  }
}

template <typename T>
LossResult<T> Network<T>::backward(const std::vector<Array<T>>& inputs,
                                   const Targets& targets,
                                   InputGradients wanted) {
  auto loss = compute_loss(model_.loss, math_, outputs_.back(), targets);
  for (auto& gradient : gradients_) {
    std::ranges::fill(gradient.values, T{0});
  }
  OutputGradients<T> on_outputs(*this, outputs_, loss.gradient, wanted);
  for (size_t i = ops_.size(); i-- > 0;) {
    if (!on_outputs.has(i)) {
      continue;
    }
    ops_[i]->backward(operands(i, inputs, outputs_, mode_),
                      outputs_[i],
                      on_outputs.of(i),
                      on_outputs.targets_of(i, inputs, gradients_));
    on_outputs.drop(i);
  }
  input_gradients_ = on_outputs.take_inputs();
  return loss;
}

template <typename T>
void Network<T>::update(const std::vector<Array<T>>& inputs) {
  ++step_;
  for (size_t i = 0; i < ops_.size(); ++i) {
    ops_[i]->update_buffers(operands(i, inputs, outputs_, Mode::kTrain));
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (model::is_trainable(model_.parameters[i].role)) {
      referee::update(model_.optimizer,
                      model_.parameters[i].role,
                      step_,
                      gradients_[i],
                      states_[i],
                      parameters_[i]);
    }
  }
}

template <typename T>
T Network<T>::train_step(const std::vector<Array<T>>& inputs, const Targets& targets) {
  forward(inputs, Mode::kTrain);
  const T loss = backward(inputs, targets).value;
  update(inputs);
  return loss;
}

template class Network<float>;
template class Network<double>;

}  // namespace crossbind::referee
