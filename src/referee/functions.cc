#include "referee/functions.h"

#include <cmath>
#include <type_traits>

#include "referee/kernels.h"
#include "referee/op.h"

namespace crossbind::referee {

template <typename T>
void tanh_of(const T* x, T* y, int64_t count) {
  if constexpr (std::is_same_v<T, double>) {
    kernels().tanh(x, y, count);
  } else {
    std::transform(x, x + count, y, [](T v) { return std::tanh(v); });
  }
}

template <typename T>
void sigmoid_of(const T* x, T* y, int64_t count) {
  if constexpr (std::is_same_v<T, double>) {
    kernels().sigmoid(x, y, count);
  } else {
    std::transform(x, x + count, y, [](T v) { return 1 / (1 + std::exp(-v)); });
  }
}

template <typename T>
T softmax_of(const Math<T>& math, const T* x, T* y, int64_t count) {
  const T shift = *std::max_element(x, x + count);
  for (int64_t i = 0; i < count; ++i) {
    y[i] = std::exp(x[i] - shift);
  }
  const T sum = math.sum(count, [&](int64_t i) { return y[i]; });
  for (int64_t i = 0; i < count; ++i) {
    y[i] /= sum;
  }
  return shift + std::log(sum);
}

template <typename T>
void softmax_error(const T* x, const T* y, const T* vx, T* variance, int64_t count) {
  constexpr T kExp = static_cast<T>(kTranscendental * kTranscendental);
  const T shift = *std::max_element(x, x + count);
  // Relative variance of one exponential: the shifted argument is off by |x - max| u, exp by 8 ulp.
  const auto exponential = [&](int64_t i) {
    const T inherited = vx == nullptr ? T{0} : vx[i];
    return y[i] > 0 ? square(x[i] - shift) + kExp + inherited : T{0};
  };
  T sum = static_cast<T>(count);  // of the denominator, relative: K S^2 with S = 1
  for (int64_t i = 0; i < count; ++i) {
    sum += square(y[i]) * exponential(i);
  }
  for (int64_t i = 0; i < count; ++i) {
    variance[i] += square(y[i]) * (exponential(i) + sum + 2);
  }
}

template void tanh_of(const float*, float*, int64_t);
template void tanh_of(const double*, double*, int64_t);
template void sigmoid_of(const float*, float*, int64_t);
template void sigmoid_of(const double*, double*, int64_t);
template float softmax_of(const Math<float>&, const float*, float*, int64_t);
template double softmax_of(const Math<double>&, const double*, double*, int64_t);
template void softmax_error(const float*, const float*, const float*, float*, int64_t);
template void softmax_error(const double*, const double*, const double*, double*, int64_t);

}  // namespace crossbind::referee
