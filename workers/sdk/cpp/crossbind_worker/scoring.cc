#include "crossbind_worker/scoring.h"

#include <algorithm>
#include <cmath>

namespace crossbind::worker {
namespace {

template <typename T>
std::span<const T> values_of(const tensor::TensorView& view) {
  return {reinterpret_cast<const T*>(view.bytes.data()), view.bytes.size() / sizeof(T)};
}

template <typename T>
bool are_finite(std::span<const T> values) {
  return std::ranges::all_of(values, [](T value) { return std::isfinite(value); });
}

// Every so many-th of a sample's outputs: the logits of one choice.
template <typename T>
struct Logits {
  std::span<const T> outputs;
  size_t stride = 1;

  [[nodiscard]] size_t size() const { return (outputs.size() + stride - 1) / stride; }
  [[nodiscard]] double operator[](size_t i) const {
    return static_cast<double>(outputs[i * stride]);
  }
};

// The first of equals; a NaN is no answer.
template <typename T>
int64_t largest(const Logits<T>& logits) {
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) {
      return -1;
    }
    if (logits[i] > logits[best]) {
      best = i;
    }
  }
  return static_cast<int64_t>(best);
}

template <typename T>
double cross_entropy(const Logits<T>& logits, int64_t label) {
  double maximum = logits[0];
  for (size_t i = 1; i < logits.size(); ++i) {
    maximum = std::max(maximum, logits[i]);
  }
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    sum += std::exp(logits[i] - maximum);
  }
  return std::log(sum) - (logits[static_cast<size_t>(label)] - maximum);
}

double binary_cross_entropy(double logit, int64_t label) {
  return std::max(logit, 0.0) - logit * static_cast<double>(label) +
         std::log1p(std::exp(-std::abs(logit)));
}

struct SampleScore {
  bool is_correct = false;
  double loss = 0;
};

template <typename T>
SampleScore score_choice(const Logits<T>& logits, int64_t label) {
  return {largest(logits) == label, cross_entropy(logits, label)};
}

// Of the sample's outputs and what they should come out as; `end` is there in spans.
template <typename T>
SampleScore score_sample(model::Loss loss, std::span<const T> outputs, int64_t label, int64_t end) {
  switch (loss) {
    case model::Loss::kCrossEntropy:
      return score_choice(Logits<T>{outputs}, label);
    case model::Loss::kBinaryCrossEntropy: {
      const auto logit = static_cast<double>(outputs[0]);
      return {!std::isnan(logit) && (logit > 0) == (label != 0),
              binary_cross_entropy(logit, label)};
    }
    case model::Loss::kSpanCrossEntropy: {  // [length, 2]
      const SampleScore first = score_choice(Logits<T>{outputs, 2}, label);
      const SampleScore last = score_choice(Logits<T>{outputs.subspan(1), 2}, end);
      return {first.is_correct && last.is_correct, (first.loss + last.loss) / 2};
    }
  }
  return {};
}

template <typename T>
Score score_all(model::Loss loss,
                std::span<const T> outputs,
                std::span<const tensor::TensorView> targets) {
  const auto labels = values_of<int64_t>(targets.front());
  const auto ends = values_of<int64_t>(targets.back());
  const size_t width = outputs.size() / std::max<size_t>(labels.size(), 1);
  Score total{.samples = static_cast<int64_t>(labels.size())};
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto sample = score_sample(loss, outputs.subspan(i * width, width), labels[i], ends[i]);
    total.correct += sample.is_correct ? 1 : 0;
    total.loss += sample.loss;
  }
  total.is_finite = are_finite(outputs);
  return total;
}

}  // namespace

Score& Score::operator+=(const Score& other) {
  samples += other.samples;
  correct += other.correct;
  loss += other.loss;
  is_finite = is_finite && other.is_finite;
  return *this;
}

Score score(model::Loss loss,
            const tensor::TensorView& outputs,
            std::span<const tensor::TensorView> targets) {
  return outputs.dtype == tensor::DType::kF64 ? score_all(loss, values_of<double>(outputs), targets)
                                              : score_all(loss, values_of<float>(outputs), targets);
}

bool all_finite(const tensor::TensorView& outputs) {
  return outputs.dtype == tensor::DType::kF64 ? are_finite(values_of<double>(outputs))
                                              : are_finite(values_of<float>(outputs));
}

}  // namespace crossbind::worker
