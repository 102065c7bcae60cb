// Matrix products and sums in a chosen order. In float32 the order of summation may be permuted by
// a seed: that is how "another correct implementation" is simulated. Results never depend on the
// number of threads: work is cut into pieces of fixed size, whoever computes them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "reference/array.h"

namespace crossbind::reference {

struct Execution {
  int threads = 1;
  std::optional<uint32_t> permutation_seed;  // order of summation; none: natural order
};

// A matrix somewhere in memory, possibly to be read transposed.
template <typename T>
struct Operand {
  const T* data = nullptr;
  int64_t stride = 0;  // elements from one stored row to the next
  bool transposed = false;
};

template <typename T>
class Math {
 public:
  explicit Math(Execution execution) : execution_(execution) {}

  // c (m x n) = or += a (m x k) * b (k x n).
  void multiply(int64_t m,
                int64_t n,
                int64_t k,
                Operand<T> a,
                Operand<T> b,
                T* c,
                int64_t c_stride,
                bool accumulate) const;

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
  void multiply_permuted(int64_t m,
                         int64_t n,
                         int64_t k,
                         Operand<T> a,
                         Operand<T> b,
                         T* c,
                         int64_t c_stride,
                         bool accumulate) const;
  [[nodiscard]] const std::vector<int64_t>* order(int64_t count) const;

  Execution execution_;
  mutable std::map<int64_t, std::vector<int64_t>> orders_;  // filled while permuting, one thread
};

// Adds to vc the variance, in units of u^2 (u = 2^-24), of the rounding error of a float32 product
// c = a * b: K S^2 with K = terms and S = |a| |b| (the bound of the design, squared), and, where a
// or b themselves carry errors of variance va, vb, those propagated: va * b^2 + a^2 * vb. va and vb
// are laid out like a and b, or null.
template <typename T>
void add_product_error(const Math<T>& math,
                       int64_t m,
                       int64_t n,
                       int64_t k,
                       Operand<T> a,
                       const T* va,
                       Operand<T> b,
                       const T* vb,
                       T* vc,
                       int64_t vc_stride,
                       int64_t terms);

extern template class Math<float>;
extern template class Math<double>;

}  // namespace crossbind::reference
