// A training step all of whose tensors stay where they are, and which the host neither feeds nor
// reads: the data, the order of an epoch and the place in it are on the device. Such a step can be
// recorded once and replayed.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "base/error.h"
#include "crossbind_worker/session.h"
#include "fused_optimizer.h"
#include "graph_module.h"
#include "loaders.h"

namespace crossbind::worker {

class StaticStep {
 public:
  // For trainings of the job, which it borrows, as it does the module.
  [[nodiscard]] static Result<StaticStep> make(const Job& job,
                                               GraphModule& module,
                                               torch::Device device);

  // The optimizer as prepared. The parameters are the caller's.
  void restart() { optimizer_.restart(); }

  // Puts the order of an epoch onto the device and goes to its beginning.
  void begin(std::span<const BatchIds> batches);
  void rewind() { place_.zero_(); }
  // The step at this place, which has so many samples; then goes on to the next.
  void run(int64_t samples);
  // What the step at this place would see.
  [[nodiscard]] TorchBatch batch(int64_t samples) const;
  // Of the steps since begin, which was for these batches.
  [[nodiscard]] EpochMetrics metrics(std::span<const BatchIds> batches) const;

 private:
  StaticStep(const Job& job, GraphModule& module, FusedOptimizer optimizer, torch::Device device);

  const Job& job_;
  GraphModule& module_;
  FusedOptimizer optimizer_;
  TorchBatch data_;
  torch::Tensor order_;    // [steps, batch size]
  torch::Tensor place_;    // [1], the row of the order
  torch::Tensor losses_;   // [steps]
  torch::Tensor outputs_;  // [steps, batch size, ...], where the running accuracy is wanted
};

}  // namespace crossbind::worker
