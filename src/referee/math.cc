#include "referee/math.h"

#include <type_traits>
#include <utility>

#include "base/parallel.h"
#include "referee/kernels.h"
#include "tensor/philox.h"

namespace crossbind::referee {
namespace {

// Rows or columns of the result that one kernel call computes; fixed, so that the rounding of a
// product does not depend on how many threads share it.
constexpr int64_t kPanel = 256;
constexpr int64_t kWorthSplitting = int64_t{1} << 22;  // multiplications

template <typename T>
void call(const Product<T>& product) {
  if constexpr (std::is_same_v<T, double>) {
    kernels().multiply_double(product);
  } else {
    kernels().multiply_float(product);
  }
}

template <typename T>
Product<T> product_of(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, bool accumulate) {
  return {c.rows,
          c.columns,
          a.columns,
          a.data,
          a.stride,
          a.transposed,
          b.data,
          b.stride,
          b.transposed,
          c.data,
          c.stride,
          accumulate};
}

// A matrix as a dense array, each value mapped.
template <typename T, typename Map>
Array<T> dense(Matrix<const T> matrix, Map map) {
  Array<T> result({matrix.rows, matrix.columns});
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) {
      result[i * matrix.columns + j] = map(matrix.at(i, j));
    }
  }
  return result;
}

}  // namespace

template <typename T>
void Math<T>::multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) const {
  compute(a, b, c, false);
}

template <typename T>
void Math<T>::multiply_add(Matrix<const T> a, Matrix<const T> b, Matrix<T> c) const {
  compute(a, b, c, true);
}

template <typename T>
void Math<T>::compute(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, bool accumulate) const {
  if (execution_.permutation_seed) {
    compute_permuted(a, b, c, accumulate);
    return;
  }
  const bool by_rows = c.rows >= c.columns;
  const int64_t extent = by_rows ? c.rows : c.columns;
  if (c.rows * c.columns * a.columns < kWorthSplitting || extent <= kPanel) {
    call(product_of(a, b, c, accumulate));
    return;
  }
  for_each((extent + kPanel - 1) / kPanel, [&](int64_t panel) {
    const int64_t begin = panel * kPanel;
    const int64_t size = std::min(kPanel, extent - begin);
    call(by_rows
             ? product_of(a.row_range(begin, size), b, c.row_range(begin, size), accumulate)
             : product_of(a, b.column_range(begin, size), c.column_range(begin, size), accumulate));
  });
}

template <typename T>
void Math<T>::compute_permuted(Matrix<const T> a,
                               Matrix<const T> b,
                               Matrix<T> c,
                               bool accumulate) const {
  const auto& permuted = *order(a.columns);
  Array<T> left({a.rows, a.columns});
  Array<T> right({b.rows, b.columns});
  for (int64_t p = 0; p < a.columns; ++p) {
    const int64_t source = permuted[static_cast<size_t>(p)];
    for (int64_t i = 0; i < a.rows; ++i) {
      left[i * a.columns + p] = a.at(i, source);
    }
    for (int64_t j = 0; j < b.columns; ++j) {
      right[p * b.columns + j] = b.at(source, j);
    }
  }
  call(product_of(matrix(std::as_const(left)), matrix(std::as_const(right)), c, accumulate));
}

template <typename T>
void Math<T>::for_each(int64_t count, const std::function<void(int64_t)>& body) const {
  // Permuted runs fill the cache of orders as they go: one thread.
  parallel_for(execution_.permutation_seed ? 1 : execution_.threads, count, body);
}

template <typename T>
const std::vector<int64_t>* Math<T>::order(int64_t count) const {
  if (!execution_.permutation_seed) {
    return nullptr;
  }
  auto& permuted = orders_[count];
  if (permuted.empty()) {
    permuted.resize(static_cast<size_t>(count));
    std::iota(permuted.begin(), permuted.end(), int64_t{0});
    tensor::PhiloxStream stream(
        *execution_.permutation_seed, tensor::Purpose::kSummation, static_cast<uint32_t>(count));
    tensor::shuffle(permuted, stream);
  }
  return &permuted;
}

template <typename T>
void add_product_error(const Math<T>& math, Factor<T> a, Factor<T> b, int64_t terms, Matrix<T> vc) {
  const auto magnitude = [](T v) { return std::abs(v); };
  const auto same = [](T v) { return v; };
  const auto variance_of = [](const Factor<T>& factor) {
    auto view = factor.value;
    view.data = factor.variance;
    return view;
  };
  Array<T> scale({vc.rows, vc.columns});
  const auto left = dense(a.value, magnitude);
  const auto right = dense(b.value, magnitude);
  math.multiply(matrix(left), matrix(right), matrix(scale));
  for (int64_t i = 0; i < vc.rows; ++i) {
    for (int64_t j = 0; j < vc.columns; ++j) {
      vc.at(i, j) += static_cast<T>(terms) * square(scale[i * vc.columns + j]);
    }
  }
  if (a.variance != nullptr) {
    const auto variance = dense(variance_of(a), same);
    const auto squares = dense(b.value, square<T>);
    math.multiply_add(matrix(variance), matrix(squares), vc);
  }
  if (b.variance != nullptr) {
    const auto squares = dense(a.value, square<T>);
    const auto variance = dense(variance_of(b), same);
    math.multiply_add(matrix(squares), matrix(variance), vc);
  }
}

template class Math<float>;
template class Math<double>;
template void add_product_error(
    const Math<float>&, Factor<float>, Factor<float>, int64_t, Matrix<float>);
template void add_product_error(
    const Math<double>&, Factor<double>, Factor<double>, int64_t, Matrix<double>);

}  // namespace crossbind::referee
