// The optimizers of torch's fused kernels: all that a step changes stays where it is, and nothing
// of it is read by the host, so that the step can be recorded and replayed. They compute what those
// of optimizers.h do, but for rounding.
#pragma once

#include <torch/types.h>

#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "tensors.h"

namespace crossbind::worker {

class FusedOptimizer {
 public:
  // kUnsupported as make_optimizer.
  [[nodiscard]] static Result<FusedOptimizer> make(const model::Model& model,
                                                   const std::vector<NamedTensor>& tensors);

  void zero_grad();
  void step();
  // As if no step had been done.
  void restart();

 private:
  // Parameters that decay alike, each with its moments; those that the optimizer has not are empty.
  struct Group {
    double decay = 0;
    std::vector<torch::Tensor> parameters;
    std::vector<torch::Tensor> first;   // momentum, or Adam's first moment
    std::vector<torch::Tensor> second;  // Adam's
    std::vector<torch::Tensor> steps;   // Adam's count, the same for all
  };

  explicit FusedOptimizer(model::Optimizer optimizer) : optimizer_(std::move(optimizer)) {}

  void add_moments();
  static void step_sgd(Group& group, const model::Sgd& sgd);
  static void step_adam(Group& group, const model::Adam& adam);

  model::Optimizer optimizer_;
  std::vector<Group> groups_;
  torch::Tensor step_;  // Adam's count, on the device
};

}  // namespace crossbind::worker
