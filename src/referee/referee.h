// The referee: the float64 engine that says what a correct float32 implementation may answer.
// It is anchored at what a worker recorded: each layer forward from its recorded input, the whole
// backward pass at the recorded outputs (its ReLU masks, pool winners, batch statistics), each
// update from the recorded gradient and state. So every step is judged on its own, and rounding
// does not compound from one to the next. It says values and bounds; verdicts are conform's.
#pragma once

#include <vector>

#include "referee/bound.h"
#include "referee/network.h"

namespace crossbind::referee {

// One judged step: anchor it, then ask for what is to be compared. Borrows the network, whose
// parameters must be those that the recorded step started from, and the arrays. The network's
// layers hold the pass's state: one pass at a time. Gradients and statistics are those of training.
class AnchoredPass {
 public:
  // inputs: the model's; recorded: every layer's output, in the order of the model's layers.
  AnchoredPass(Network<double>& network,
               const std::vector<Array<double>>& inputs,
               const std::vector<Array<double>>& recorded,
               Mode mode);

  // The output of one layer from its recorded input.
  [[nodiscard]] Bounded forward(size_t node);

  // The new running statistics of one layer, by the node's parameters; empty arrays for the others.
  [[nodiscard]] std::vector<Bounded> buffers(size_t node);

  struct Backward {
    Bounded loss;                    // one element
    std::vector<Bounded> gradients;  // by parameter; empty for buffers
    std::vector<Bounded> inputs;     // by the model's input; empty where they are not wanted
  };
  // The loss at the recorded output, and every gradient at the recorded outputs.
  [[nodiscard]] Backward backward(const Targets& targets,
                                  InputGradients wanted = InputGradients::kUnwanted);

 private:
  void ensure_forward(size_t node);

  Network<double>& network_;
  const std::vector<Array<double>>& inputs_;
  const std::vector<Array<double>>& recorded_;
  Mode mode_;
  std::vector<Bounded> outputs_;  // empty until asked for
};

struct AnchoredUpdate {
  Bounded parameter;
  Bounded m;  // empty where the optimizer has none
  Bounded v;
};

// One update of one parameter from the given gradient and state; step counts from 1.
[[nodiscard]] AnchoredUpdate update_from(const model::Optimizer& optimizer,
                                         model::Role role,
                                         int64_t step,
                                         const Array<double>& parameter,
                                         const Array<double>& gradient,
                                         const OptimizerState<double>& state);

}  // namespace crossbind::referee
