// A dense array of numbers with the batch as first dimension: what flows between the referee's
// layers. Integer inputs (tokens) are held as numbers too; they are exact in either precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tensor/tensor.h"

namespace crossbind::referee {

using tensor::Shape;

[[nodiscard]] inline int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

template <typename T>
struct Array {
  Shape shape;
  std::vector<T> values;

  Array() = default;
  explicit Array(Shape dimensions)
      : shape(std::move(dimensions)),
        values(static_cast<size_t>(count_of(shape))) {}

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(values.size()); }
  [[nodiscard]] int64_t batch() const { return shape.empty() ? 1 : shape.front(); }
  [[nodiscard]] int64_t last() const { return shape.back(); }
  [[nodiscard]] int64_t rows() const { return last() == 0 ? 0 : size() / last(); }
  [[nodiscard]] T* data() { return values.data(); }
  [[nodiscard]] const T* data() const { return values.data(); }
  [[nodiscard]] T& operator[](int64_t i) { return values[static_cast<size_t>(i)]; }
  [[nodiscard]] const T& operator[](int64_t i) const { return values[static_cast<size_t>(i)]; }
};

template <typename T>
[[nodiscard]] Array<T> absolute(const Array<T>& array) {
  Array<T> result(array.shape);
  std::ranges::transform(array.values, result.values.begin(), [](T v) { return std::abs(v); });
  return result;
}

template <typename T>
[[nodiscard]] Array<T> squared(const Array<T>& array) {
  Array<T> result(array.shape);
  std::ranges::transform(array.values, result.values.begin(), [](T v) { return v * v; });
  return result;
}

template <typename T>
[[nodiscard]] inline T square(T value) {
  return value * value;
}

}  // namespace crossbind::referee
