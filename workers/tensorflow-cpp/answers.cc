#include "answers.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace crossbind::worker {
namespace {

template <typename T>
std::span<const T> values_of(const NativeTensor& tensor) {
  const auto bytes = tensor.view().bytes;
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Where the largest of every `stride`-th value is; the first of equals.
int64_t largest(std::span<const float> values, size_t stride) {
  size_t best = 0;
  for (size_t i = stride; i < values.size(); i += stride) {
    if (values[i] > values[best]) {
      best = i;
    }
  }
  return static_cast<int64_t>(best / stride);
}

}  // namespace

int64_t count_correct(model::Loss loss,
                      const NativeTensor& outputs,
                      const std::vector<NativeTensor>& targets) {
  const auto values = values_of<float>(outputs);
  const auto labels = values_of<int64_t>(targets[0]);
  const size_t width = values.size() / std::max<size_t>(labels.size(), 1);
  int64_t correct = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto row = values.subspan(i * width, width);
    switch (loss) {
      case model::Loss::kCrossEntropy:
        correct += largest(row, 1) == labels[i] ? 1 : 0;
        break;
      case model::Loss::kBinaryCrossEntropy:
        correct += (row[0] > 0) == (labels[i] == 1) ? 1 : 0;
        break;
      case model::Loss::kSpanCrossEntropy:  // [length, 2]
        correct += largest(row, 2) == labels[i] &&
                           largest(row.subspan(1), 2) == values_of<int64_t>(targets[1])[i]
                       ? 1
                       : 0;
        break;
    }
  }
  return correct;
}

bool all_finite(const NativeTensor& outputs) {
  return std::ranges::all_of(values_of<float>(outputs), [](float x) { return std::isfinite(x); });
}

float number_in(const NativeTensor& scalar) {
  return values_of<float>(scalar)[0];
}

}  // namespace crossbind::worker
