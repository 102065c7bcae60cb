// The gate activation of recurrent layers: sigmoid, or Keras's old piecewise linear one.
#pragma once

#include <algorithm>

#include "model/layer.h"
#include "referee/array.h"
#include "referee/functions.h"
#include "referee/op.h"

namespace crossbind::referee {

template <typename T>
struct Gate {
  bool hard = false;

  explicit Gate(model::RecurrentActivation activation)
      : hard(activation == model::RecurrentActivation::kHardSigmoid) {}

  void apply(T* values, int64_t count) const {
    if (hard) {
      std::transform(values, values + count, values, [](T v) {
        return std::clamp(static_cast<T>(0.2) * v + static_cast<T>(0.5), T{0}, T{1});
      });
    } else {
      sigmoid_of(values, values, count);
    }
  }

  // Derivative by the gate's own value s, that derivative's slope in s, and its size in rounding.
  [[nodiscard]] T slope(T s) const {
    if (hard) {
      return s > 0 && s < 1 ? static_cast<T>(0.2) : T{0};
    }
    return s * (1 - s);
  }
  [[nodiscard]] T curvature(T s) const { return hard ? T{0} : 1 - 2 * s; }
  [[nodiscard]] T slope_size(T s) const { return hard ? slope(s) : s * (1 + s); }

  // Variance of the error of s when its argument's error has variance va.
  [[nodiscard]] T error(T s, T va) const {
    const T own = hard ? T{2} : static_cast<T>(1 + kTranscendental * kTranscendental);
    return square(slope(s)) * va + own * square(s);
  }
};

// Variance of the error of tanh's value y when its argument's error has variance va.
template <typename T>
[[nodiscard]] T tanh_error(T y, T va) {
  return square(1 - y * y) * va + static_cast<T>(1 + kTranscendental * kTranscendental) * y * y;
}

// [batch, steps, width] moved one step later, zero at step 0: the state each step starts from.
template <typename T>
[[nodiscard]] Array<T> previous_steps(const Array<T>& states) {
  Array<T> result(states.shape);
  const int64_t sample = states.shape[1] * states.shape[2];
  for (int64_t n = 0; n < states.shape[0]; ++n) {
    std::copy_n(states.data() + n * sample,
                sample - states.shape[2],
                result.data() + n * sample + states.shape[2]);
  }
  return result;
}

}  // namespace crossbind::referee
