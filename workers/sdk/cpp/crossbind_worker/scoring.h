// What is said of outputs, the same for every binding: computed on the host, in double precision,
// outside of all timers. docs/layers.md has the losses and what is right.
#pragma once

#include <cstdint>
#include <span>

#include "model/training.h"
#include "tensor/tensor.h"

namespace crossbind::worker {

// Of samples that went through a model; scores of batches add up to that of all of them.
struct Score {
  int64_t samples = 0;
  int64_t correct = 0;
  double loss = 0;        // summed over the samples
  bool is_finite = true;  // every output

  Score& operator+=(const Score& other);

  [[nodiscard]] double accuracy() const {
    return static_cast<double>(correct) / static_cast<double>(samples);
  }
  [[nodiscard]] double mean_loss() const { return loss / static_cast<double>(samples); }
};

// Outputs are float32 or float64, batch first; targets are int64: labels, or starts and ends.
[[nodiscard]] Score score(model::Loss loss,
                          const tensor::TensorView& outputs,
                          std::span<const tensor::TensorView> targets);

[[nodiscard]] bool all_finite(const tensor::TensorView& outputs);

}  // namespace crossbind::worker
