// A model at work in one precision: parameters, a forward pass, a backward pass, an update. In
// float64 it is the referee's engine; in float32, with a permuted order of summation, it plays
// "another correct implementation".
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "referee/loss.h"
#include "referee/math.h"
#include "referee/op.h"
#include "referee/optimizer.h"
#include "tensor/tensor.h"

namespace crossbind::referee {

// Whether a backward pass goes on to the model's inputs, those that are not integers.
enum class InputGradients { kUnwanted, kWanted };

template <typename T>
class Network {
 public:
  // The model is borrowed and must outlive the network. Parameters start at zero.
  Network(const model::Model& model, Execution execution, DropoutSource dropout);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Takes float32 or float64 values for every parameter; a missing name or a wrong shape is an
  // error.
  [[nodiscard]] Status load(const tensor::TensorMap& values);
  [[nodiscard]] tensor::TensorMap parameters_as_float32() const;

  // inputs are in the order of the model's, batch first. Afterwards output() has every layer's.
  void forward(const std::vector<Array<T>>& inputs, Mode mode);
  [[nodiscard]] const Array<T>& output(size_t node) const { return outputs_[node]; }
  [[nodiscard]] const Array<T>& output() const { return outputs_.back(); }

  // After forward(), on the same inputs and in its mode: the loss; gradient() then has every
  // parameter's and, where they are wanted, input_gradient() every input's, empty for integers.
  LossResult<T> backward(const std::vector<Array<T>>& inputs,
                         const Targets& targets,
                         InputGradients wanted = InputGradients::kUnwanted);
  [[nodiscard]] const Array<T>& gradient(size_t parameter) const { return gradients_[parameter]; }
  [[nodiscard]] const Array<T>& input_gradient(size_t input) const {
    return input_gradients_[input];
  }

  // Applies the gradients and the new running statistics.
  void update(const std::vector<Array<T>>& inputs);

  // All of the above; returns the loss before the update.
  T train_step(const std::vector<Array<T>>& inputs, const Targets& targets);

  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] const Math<T>& math() const { return math_; }
  [[nodiscard]] Op<T>& op(size_t node) { return *ops_[node]; }
  [[nodiscard]] Array<T>& parameter(size_t i) { return parameters_[i]; }
  [[nodiscard]] const Array<T>& parameter(size_t i) const { return parameters_[i]; }
  [[nodiscard]] OptimizerState<T>& state(size_t i) { return states_[i]; }
  [[nodiscard]] int64_t& step() { return step_; }  // updates done so far

  // A layer's operands, its inputs taken from model inputs and from these outputs.
  [[nodiscard]] Operands<T> operands(size_t node,
                                     const std::vector<Array<T>>& inputs,
                                     const std::vector<Array<T>>& outputs,
                                     Mode mode);
  // The output shape of a layer for a batch.
  [[nodiscard]] Shape output_shape(size_t node, int64_t batch) const;
  // Whether the gradient of this source is wanted: something at or before it is trained, or is an
  // input whose gradient is.
  [[nodiscard]] bool needs_gradient(const model::Source& source,
                                    InputGradients wanted = InputGradients::kUnwanted) const;

 private:
  const model::Model& model_;
  Math<T> math_;
  bool rounds_outputs_;
  DropoutSource dropout_;
  std::vector<OpPointer<T>> ops_;
  std::vector<Array<T>> parameters_;
  std::vector<Array<T>> gradients_;
  std::vector<OptimizerState<T>> states_;
  std::vector<Array<T>> outputs_;
  std::vector<Array<T>> input_gradients_;
  Mode mode_ = Mode::kTrain;       // of the last forward pass
  std::vector<bool> trained_;      // by node: it or something before it has parameters to train
  std::vector<bool> sees_floats_;  // by node: an input of floats comes before it
  int64_t step_ = 0;
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace crossbind::referee
