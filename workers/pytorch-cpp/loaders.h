// Batches on the device, by either loader.
#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <vector>

#include "crossbind_worker/job.h"
#include "trial/settings.h"

namespace crossbind::worker {

// In the order of the model.
struct TorchBatch {
  std::vector<torch::Tensor> inputs;
  std::vector<torch::Tensor> targets;  // labels, or starts and ends
};

// All samples as one batch on the device, in memory of torch's own.
[[nodiscard]] TorchBatch whole_batch(const Samples& samples, torch::Device device);

// Of one split of the data. What a user of the binding writes is made anew for each epoch.
class Loader {
 public:
  virtual ~Loader() = default;

  // The batches must outlive the epoch.
  virtual void begin(std::span<const BatchIds> batches) = 0;
  [[nodiscard]] virtual TorchBatch next() = 0;
};

[[nodiscard]] std::unique_ptr<Loader> make_loader(trial::Loader kind,
                                                  const Samples& samples,
                                                  int64_t batch_size,
                                                  torch::Device device);

}  // namespace crossbind::worker
