// The gradients of the layers' outputs during a backward pass: made when a later layer first adds
// to one, dropped when its own layer has used it. Walk the layers from the last to the first.
#pragma once

#include <vector>

#include "referee/network.h"

namespace crossbind::referee {

template <typename T>
class OutputGradients {
 public:
  // Borrows both; `last` is the gradient of the model's output.
  OutputGradients(const Network<T>& network, const std::vector<Array<T>>& outputs, Array<T> last)
      : network_(network),
        outputs_(outputs),
        gradients_(outputs.size()) {
    gradients_.back() = std::move(last);
  }

  // Whether the layer has to go backward: something reached it, and something in it or before it
  // is trained.
  [[nodiscard]] bool has(size_t node) const {
    return !gradients_[node].values.empty() && network_.needs_gradient({false, node});
  }
  [[nodiscard]] const Array<T>& of(size_t node) const { return gradients_[node]; }
  void drop(size_t node) { gradients_[node] = Array<T>(); }

  // Where the layer's backward pass adds to: the gradients of its inputs and of its parameters.
  [[nodiscard]] Gradients<T> targets_of(size_t node, std::vector<Array<T>>& parameters) {
    Gradients<T> targets;
    for (const auto& source : network_.model().nodes[node].inputs) {
      Array<T>* target = nullptr;
      if (network_.needs_gradient(source)) {
        target = &gradients_[source.index];
        if (target->values.empty()) {
          *target = Array<T>(outputs_[source.index].shape);
        }
      }
      targets.inputs.push_back(target);
    }
    for (const size_t parameter : network_.model().nodes[node].parameters) {
      targets.parameters.push_back(&parameters[parameter]);
    }
    return targets;
  }

 private:
  const Network<T>& network_;
  const std::vector<Array<T>>& outputs_;
  std::vector<Array<T>> gradients_;
};

}  // namespace crossbind::referee
