// The gradients of the layers' outputs, and of the model's inputs where they are wanted, during a
// backward pass: made when a later layer first adds to one, dropped when its own layer has used it.
// Walk the layers from the last to the first.
#pragma once

#include <vector>

#include "referee/network.h"

namespace crossbind::referee {

template <typename T>
class OutputGradients {
 public:
  // Borrows both; `last` is the gradient of the model's output.
  OutputGradients(const Network<T>& network,
                  const std::vector<Array<T>>& outputs,
                  Array<T> last,
                  InputGradients wanted = InputGradients::kUnwanted)
      : network_(network),
        outputs_(outputs),
        wanted_(wanted),
        gradients_(outputs.size()),
        inputs_(network.model().inputs.size()) {
    gradients_.back() = std::move(last);
  }

  // Whether the layer has to go backward: something reached it, and something in it or before it
  // wants a gradient.
  [[nodiscard]] bool has(size_t node) const {
    return !gradients_[node].values.empty() && network_.needs_gradient({false, node}, wanted_);
  }
  [[nodiscard]] const Array<T>& of(size_t node) const { return gradients_[node]; }
  void drop(size_t node) { gradients_[node] = Array<T>(); }

  // Where the layer's backward pass adds to: the gradients of its inputs and of its parameters.
  [[nodiscard]] Gradients<T> targets_of(size_t node,
                                        const std::vector<Array<T>>& model_inputs,
                                        std::vector<Array<T>>& parameters) {
    Gradients<T> targets;
    for (const auto& source : network_.model().nodes[node].inputs) {
      Array<T>* target = nullptr;
      if (network_.needs_gradient(source, wanted_)) {
        target = source.is_input ? &inputs_[source.index] : &gradients_[source.index];
        if (target->values.empty()) {
          *target = Array<T>((source.is_input ? model_inputs : outputs_)[source.index].shape);
        }
      }
      targets.inputs.push_back(target);
    }
    for (const size_t parameter : network_.model().nodes[node].parameters) {
      targets.parameters.push_back(&parameters[parameter]);
    }
    return targets;
  }

  // When all layers have gone backward. Empty where there is none.
  [[nodiscard]] std::vector<Array<T>> take_inputs() { return std::move(inputs_); }

 private:
  const Network<T>& network_;
  const std::vector<Array<T>>& outputs_;
  InputGradients wanted_;
  std::vector<Array<T>> gradients_;
  std::vector<Array<T>> inputs_;
};

}  // namespace crossbind::referee
