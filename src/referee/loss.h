// The losses: value, gradient with respect to the model's output, accuracy, and the rounding errors
// that a correct float32 implementation may make.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/training.h"
#include "referee/array.h"
#include "referee/math.h"

namespace crossbind::referee {

// What a batch should come out as.
struct Targets {
  std::vector<int64_t> labels;  // classes, or where spans start
  std::vector<int64_t> ends;    // of spans; not used by other losses

  // In the order of the loss's targets (model/losses.h).
  [[nodiscard]] std::array<std::vector<int64_t>*, 2> columns() { return {&labels, &ends}; }
};

template <typename T>
struct LossResult {
  T value = 0;           // mean over the batch
  T value_variance = 0;  // of its error, in units of u^2
  Array<T> gradient;     // of the model's output
  Array<T> gradient_variance;
};

template <typename T>
[[nodiscard]] LossResult<T> compute_loss(model::Loss loss,
                                         const Math<T>& math,
                                         const Array<T>& output,
                                         const Targets& targets);

// How many samples are right. Ties in the maximum go to the lowest index; a single logit means 1
// when it is above 0; a span is right when both its ends are.
template <typename T>
[[nodiscard]] int64_t count_correct(model::Loss loss,
                                    const Array<T>& output,
                                    const Targets& targets);

}  // namespace crossbind::referee
