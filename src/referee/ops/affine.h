// rows W^T + b, its adjoint, and the errors of both: what linear, recurrent and attention layers
// share. Weight [outs, ins]; a row may be a sample or a step of one.
#pragma once

#include <vector>

#include "referee/array.h"
#include "referee/math.h"

namespace crossbind::referee {

// Adds to a bias's gradient the sums of the columns of d.
template <typename T>
void add_column_sums(const Math<T>& math, const Array<T>& d, Array<T>& sums) {
  const int64_t width = d.last();
  for (int64_t j = 0; j < width; ++j) {
    sums[j] += math.sum(d.rows(), [&](int64_t i) { return d[i * width + j]; });
  }
}

// The variances of those sums; vd is that of d's own error.
template <typename T>
void add_column_sums_error(const Math<T>& math,
                           const Array<T>& d,
                           const Array<T>& vd,
                           Array<T>& variance) {
  Array<T> scale(variance.shape);
  add_column_sums(math, absolute(d), scale);
  add_column_sums(math, vd, variance);
  for (int64_t j = 0; j < scale.size(); ++j) {
    variance[j] += static_cast<T>(d.rows()) * square(scale[j]);
  }
}

// An array, and the variance of the error that it carries itself; null where it is exact.
template <typename T>
struct Uncertain {
  const Array<T>& value;
  const Array<T>* variance = nullptr;

  [[nodiscard]] const T* variance_data() const {
    return variance == nullptr ? nullptr : variance->data();
  }
};

template <typename T>
class Affine {
 public:
  using Biases = std::vector<const Array<T>*>;  // all are added; none, one or two

  Affine(const Math<T>& math, int64_t ins, int64_t outs) : math_(math), ins_(ins), outs_(outs) {}

  // out += rows W^T + biases.
  void forward(const Array<T>& rows,
               const Array<T>& weight,
               const Biases& biases,
               Array<T>& out) const {
    for (const auto* bias : biases) {
      for (int64_t i = 0; i < out.size(); ++i) {
        out[i] += (*bias)[i % outs_];
      }
    }
    math_.multiply_add(matrix(rows), matrix(weight).flipped(), matrix(out));
  }

  // The same on absolute values: the S of the bound.
  [[nodiscard]] Array<T> size(const Array<T>& rows,
                              const Array<T>& weight,
                              const Biases& biases,
                              const Shape& shape) const {
    std::vector<Array<T>> magnitudes;
    for (const auto* bias : biases) {
      magnitudes.push_back(absolute(*bias));
    }
    Biases pointers;
    for (const auto& bias : magnitudes) {
      pointers.push_back(&bias);
    }
    Array<T> result(shape);
    forward(absolute(rows), absolute(weight), pointers, result);
    return result;
  }

  void forward_error(Uncertain<T> rows,
                     const Array<T>& weight,
                     const Biases& biases,
                     Array<T>& variance) const {
    const auto scale = size(rows.value, weight, biases, variance.shape);
    const auto terms = static_cast<T>(ins_ + static_cast<int64_t>(biases.size()));
    for (int64_t i = 0; i < scale.size(); ++i) {
      variance[i] += terms * square(scale[i]);
    }
    if (rows.variance != nullptr) {
      const auto squares = squared(weight);
      math_.multiply_add(matrix(*rows.variance), matrix(squares).flipped(), matrix(variance));
    }
  }

  // Adds to the gradients of rows (unless null), weight and biases.
  void backward(const Array<T>& rows,
                const Array<T>& weight,
                const Array<T>& d,
                Array<T>* drows,
                Array<T>& dweight,
                const std::vector<Array<T>*>& dbiases) const {
    if (drows != nullptr) {
      math_.multiply_add(matrix(d), matrix(weight), matrix(*drows));
    }
    math_.multiply_add(matrix(d).flipped(), matrix(rows), matrix(dweight));
    for (auto* dbias : dbiases) {
      add_column_sums(math_, d, *dbias);
    }
  }

  // The variances of what backward() adds.
  void backward_error(Uncertain<T> rows,
                      const Array<T>& weight,
                      Uncertain<T> d,
                      Array<T>* vdrows,
                      Array<T>& vdweight,
                      const std::vector<Array<T>*>& vdbiases) const {
    if (vdrows != nullptr) {
      add_product_error<T>(
          math_, {matrix(d.value), d.variance_data()}, {matrix(weight)}, outs_, matrix(*vdrows));
    }
    add_product_error<T>(math_,
                         {matrix(d.value).flipped(), d.variance_data()},
                         {matrix(rows.value), rows.variance_data()},
                         d.value.rows(),
                         matrix(vdweight));
    for (auto* vdbias : vdbiases) {
      add_column_sums_error(math_, d.value, *d.variance, *vdbias);
    }
  }

 private:
  const Math<T>& math_;
  int64_t ins_;
  int64_t outs_;
};

}  // namespace crossbind::referee
