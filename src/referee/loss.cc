#include "referee/loss.h"

#include <cmath>

#include "model/losses.h"
#include "referee/functions.h"
#include "referee/op.h"

namespace crossbind::referee {
namespace {

constexpr double kLibrary = kTranscendental * kTranscendental;

// Collects the samples' losses: value, size on absolute values, and variance of the error.
template <typename T>
struct Samples {
  std::vector<T> values;
  T size = 0;
  T variance = 0;

  void add(T value, T absolute_size, T error) {
    values.push_back(value);
    size += absolute_size;
    variance += error;
  }
  void finish(const Math<T>& math, T weight, LossResult<T>& result) const {
    const auto n = static_cast<int64_t>(values.size());
    result.value += weight * math.sum(n, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
    result.value_variance += square(weight) * (variance + static_cast<T>(n) * square(size));
  }
};

// Numbers that stand `stride` apart: one sample's logits, their gradients and variances alike.
template <typename T>
struct Strided {
  const T* logits;
  T* gradient;
  T* variance;
  int64_t count;
  int64_t stride;
};

// Cross-entropy of one sample, weighted into the samples and the gradient.
template <typename T>
void cross_entropy(
    const Math<T>& math, const Strided<T>& in, int64_t label, T weight, Samples<T>& samples) {
  const int64_t count = in.count;
  std::vector<T> x(static_cast<size_t>(count));
  std::vector<T> p(x.size());
  std::vector<T> vp(x.size());
  for (int64_t i = 0; i < count; ++i) {
    x[static_cast<size_t>(i)] = in.logits[i * in.stride];
  }
  const T log_sum = softmax_of(math, x.data(), p.data(), count);
  softmax_error<T>(x.data(), p.data(), nullptr, vp.data(), count);
  const T shift = *std::ranges::max_element(x);
  T exponentials = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<size_t>(i);
    const T target = i == label ? T{1} : T{0};
    in.gradient[i * in.stride] = weight * (p[k] - target);
    in.variance[i * in.stride] = square(weight) * (vp[k] + 3 * square(p[k] + target));
    exponentials +=
        p[k] > 0 ? square(p[k]) * (square(x[k] - shift) + static_cast<T>(kLibrary)) : T{0};
  }
  const T target_logit = x[static_cast<size_t>(label)];
  const T size = std::abs(shift) + std::abs(log_sum - shift) + std::abs(target_logit);
  const T library = static_cast<T>(kLibrary) * square(log_sum - shift);
  samples.add(log_sum - target_logit,
              size,
              3 * square(size) + library + exponentials + static_cast<T>(count));
}

template <typename T>
void binary_cross_entropy(
    T x, int64_t label, T weight, Samples<T>& samples, T& gradient, T& variance) {
  const T y = label != 0 ? T{1} : T{0};
  T p = 0;
  sigmoid_of(&x, &p, 1);
  const T tail = std::log1p(std::exp(-std::abs(x)));
  gradient = weight * (p - y);
  variance = square(weight) * (static_cast<T>(2 + kLibrary) * square(p) + 2 * square(p + y));
  const T size = std::abs(x) * (1 + y) + tail;
  // The argument of log1p is exp of a rounded number and itself off by 8 ulp.
  const T library =
      static_cast<T>(2 * kLibrary) * square(tail) + square(std::exp(-std::abs(x)) * x);
  samples.add(std::max(x, T{0}) - x * y + tail, size, 3 * square(size) + library);
}

template <typename T>
int64_t argmax(const T* values, int64_t count, int64_t stride) {
  int64_t best = std::isnan(values[0]) ? -1 : 0;  // a NaN is no answer
  for (int64_t i = 1; i < count && best >= 0; ++i) {
    if (std::isnan(values[i * stride])) {
      best = -1;
    } else if (values[i * stride] > values[best * stride]) {
      best = i;
    }
  }
  return best;
}

}  // namespace

template <typename T>
LossResult<T> compute_loss(model::Loss loss,
                           const Math<T>& math,
                           const Array<T>& output,
                           const Targets& targets) {
  LossResult<T> result;
  result.gradient = result.gradient_variance = Array<T>(output.shape);
  const int64_t batch = output.batch();
  const int64_t sample = output.size() / batch;
  // The loss of a sample is the mean over its targets.
  const T weight = 1 / static_cast<T>(batch) / static_cast<T>(model::describe(loss).targets.size());
  Samples<T> samples;
  for (int64_t n = 0; n < batch; ++n) {
    const T* logits = output.data() + n * sample;
    T* gradient = result.gradient.data() + n * sample;
    T* variance = result.gradient_variance.data() + n * sample;
    const int64_t label = targets.labels[static_cast<size_t>(n)];
    switch (loss) {
      case model::Loss::kCrossEntropy:
        cross_entropy<T>(math, {logits, gradient, variance, sample, 1}, label, weight, samples);
        break;
      case model::Loss::kBinaryCrossEntropy:
        binary_cross_entropy(logits[0], label, weight, samples, gradient[0], variance[0]);
        break;
      case model::Loss::kSpanCrossEntropy: {
        const int64_t end = targets.ends[static_cast<size_t>(n)];
        cross_entropy<T>(math, {logits, gradient, variance, sample / 2, 2}, label, weight, samples);
        cross_entropy<T>(
            math, {logits + 1, gradient + 1, variance + 1, sample / 2, 2}, end, weight, samples);
        break;
      }
    }
  }
  samples.finish(math, weight, result);
  return result;
}

template <typename T>
int64_t count_correct(model::Loss loss, const Array<T>& output, const Targets& targets) {
  const int64_t sample = output.size() / output.batch();
  int64_t correct = 0;
  for (int64_t n = 0; n < output.batch(); ++n) {
    const T* logits = output.data() + n * sample;
    const int64_t label = targets.labels[static_cast<size_t>(n)];
    switch (loss) {
      case model::Loss::kCrossEntropy:
        correct += argmax(logits, sample, 1) == label ? 1 : 0;
        break;
      case model::Loss::kBinaryCrossEntropy:
        correct += !std::isnan(logits[0]) && (logits[0] > 0) == (label != 0) ? 1 : 0;
        break;
      case model::Loss::kSpanCrossEntropy:
        correct += argmax(logits, sample / 2, 2) == label &&
                           argmax(logits + 1, sample / 2, 2) == targets.ends[static_cast<size_t>(n)]
                       ? 1
                       : 0;
        break;
    }
  }
  return correct;
}

template LossResult<float> compute_loss(model::Loss,
                                        const Math<float>&,
                                        const Array<float>&,
                                        const Targets&);
template LossResult<double> compute_loss(model::Loss,
                                         const Math<double>&,
                                         const Array<double>&,
                                         const Targets&);
template int64_t count_correct(model::Loss, const Array<float>&, const Targets&);
template int64_t count_correct(model::Loss, const Array<double>&, const Targets&);

}  // namespace crossbind::referee
