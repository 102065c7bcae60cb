// Matrix products and sums in a chosen order. In float32 the order of summation may be permuted by
// a seed: that is how "another correct implementation" is simulated. Results never depend on the
// number of threads: work is cut into pieces of fixed size, whoever computes them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "referee/array.h"

namespace crossbind::referee {

struct Execution {
  int threads = 1;
  std::optional<uint32_t> permutation_seed;  // order of summation; none: natural order
  bool rounds_outputs = false;               // of layers, to the float32 that they are recorded in
};

// A borrowed matrix somewhere in memory; T is const where it is only read.
template <typename T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;       // elements from one stored row to the next
  bool transposed = false;  // stored as columns x rows

  // A matrix that is written may be read.
  operator Matrix<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data, rows, columns, stride, transposed};
  }

  [[nodiscard]] Matrix flipped() const { return {data, columns, rows, stride, !transposed}; }
  [[nodiscard]] Matrix row_range(int64_t first, int64_t count) const {
    return {data + (transposed ? first : first * stride), count, columns, stride, transposed};
  }
  [[nodiscard]] Matrix column_range(int64_t first, int64_t count) const {
    return flipped().row_range(first, count).flipped();
  }
  [[nodiscard]] T& at(int64_t row, int64_t column) const {
    return data[transposed ? column * stride + row : row * stride + column];
  }
};

// An array as a matrix of its last dimension.
template <typename T>
[[nodiscard]] Matrix<const T> matrix(const Array<T>& array) {
  return {array.data(), array.rows(), array.last(), array.last()};
}
template <typename T>
[[nodiscard]] Matrix<T> matrix(Array<T>& array) {
  return {array.data(), array.rows(), array.last(), array.last()};
}

// One step of a [batch, steps, width] array: batch x width.
template <typename T>
[[nodiscard]] Matrix<const T> at_step(const Array<T>& array, int64_t t) {
  return {array.data() + t * array.shape[2],
          array.shape[0],
          array.shape[2],
          array.shape[1] * array.shape[2]};
}
template <typename T>
[[nodiscard]] Matrix<T> at_step(Array<T>& array, int64_t t) {
  return {array.data() + t * array.shape[2],
          array.shape[0],
          array.shape[2],
          array.shape[1] * array.shape[2]};
}

template <typename T>
class Math {
 public:
  explicit Math(Execution execution) : execution_(execution) {}

  void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) const;      // c = a b
  void multiply_add(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) const;  // c += a b

  // sum of term(i) for i in [0, count), in the chosen order.
  template <typename Term>
  [[nodiscard]] T sum(int64_t count, Term term) const {
    T total = 0;
    if (const auto* permuted = order(count)) {
      for (const int64_t i : *permuted) {
        total += term(i);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        total += term(i);
      }
    }
    return total;
  }

  // Calls body(i) for every i, on the threads of the execution; the pieces must be independent.
  void for_each(int64_t count, const std::function<void(int64_t)>& body) const;

 private:
  void compute(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, bool accumulate) const;
  void compute_permuted(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, bool accumulate) const;
  [[nodiscard]] const std::vector<int64_t>* order(int64_t count) const;

  Execution execution_;
  mutable std::map<int64_t, std::vector<int64_t>> orders_;  // filled while permuting, one thread
};

// A factor of a product, and the variance of the error that it carries itself: laid out like the
// value, or null where it is exact.
template <typename T>
struct Factor {
  Matrix<const T> value;
  const T* variance = nullptr;
};

// Adds to vc the variance, in units of u^2 (u = 2^-24), of the rounding error of a float32 product
// a b: K S^2 with K = terms and S = |a| |b| (the bound of the design, squared), and the factors'
// own errors propagated, va * b^2 + a^2 * vb.
template <typename T>
void add_product_error(const Math<T>& math, Factor<T> a, Factor<T> b, int64_t terms, Matrix<T> vc);

extern template class Math<float>;
extern template class Math<double>;

}  // namespace crossbind::referee
