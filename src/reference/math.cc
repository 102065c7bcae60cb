#include "reference/math.h"

#include <type_traits>

#include "base/parallel.h"
#include "reference/kernels.h"
#include "tensor/philox.h"

namespace crossbind::reference {
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
Operand<T> advance(Operand<T> operand, int64_t rows, int64_t columns) {
  operand.data +=
      operand.transposed ? columns * operand.stride + rows : rows * operand.stride + columns;
  return operand;
}

// The operand as a dense rows x columns array, each value mapped.
template <typename T, typename Map>
std::vector<T> dense(Operand<T> operand, int64_t rows, int64_t columns, Map map) {
  std::vector<T> result(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t offset = operand.transposed ? j * operand.stride + i : i * operand.stride + j;
      result[static_cast<size_t>(i * columns + j)] = map(operand.data[offset]);
    }
  }
  return result;
}

}  // namespace

template <typename T>
void Math<T>::multiply(int64_t m,
                       int64_t n,
                       int64_t k,
                       Operand<T> a,
                       Operand<T> b,
                       T* c,
                       int64_t c_stride,
                       bool accumulate) const {
  if (execution_.permutation_seed) {
    multiply_permuted(m, n, k, a, b, c, c_stride, accumulate);
    return;
  }
  const auto piece = [&](int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const auto left = advance(a, row, int64_t{0});
    const auto right = advance(b, int64_t{0}, column);
    call(Product<T>{rows,
                    columns,
                    k,
                    left.data,
                    left.stride,
                    left.transposed,
                    right.data,
                    right.stride,
                    right.transposed,
                    c + row * c_stride + column,
                    c_stride,
                    accumulate});
  };
  if (m * n * k < kWorthSplitting || std::max(m, n) <= kPanel) {
    piece(0, m, 0, n);
    return;
  }
  const bool by_rows = m >= n;
  const int64_t extent = by_rows ? m : n;
  for_each((extent + kPanel - 1) / kPanel, [&](int64_t panel) {
    const int64_t begin = panel * kPanel;
    const int64_t size = std::min(kPanel, extent - begin);
    by_rows ? piece(begin, size, 0, n) : piece(0, m, begin, size);
  });
}

template <typename T>
void Math<T>::multiply_permuted(int64_t m,
                                int64_t n,
                                int64_t k,
                                Operand<T> a,
                                Operand<T> b,
                                T* c,
                                int64_t c_stride,
                                bool accumulate) const {
  const auto& permuted = *order(k);
  std::vector<T> left(static_cast<size_t>(m * k));
  std::vector<T> right(static_cast<size_t>(k * n));
  for (int64_t p = 0; p < k; ++p) {
    const int64_t source = permuted[static_cast<size_t>(p)];
    for (int64_t i = 0; i < m; ++i) {
      left[static_cast<size_t>(i * k + p)] = *advance(a, i, source).data;
    }
    for (int64_t j = 0; j < n; ++j) {
      right[static_cast<size_t>(p * n + j)] = *advance(b, source, j).data;
    }
  }
  call(Product<T>{m, n, k, left.data(), k, false, right.data(), n, false, c, c_stride, accumulate});
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
                       int64_t terms) {
  const auto magnitude = [](T v) { return std::abs(v); };
  const auto same = [](T v) { return v; };
  const auto left = dense(a, m, k, magnitude);
  const auto right = dense(b, k, n, magnitude);
  std::vector<T> scale(static_cast<size_t>(m * n));
  math.multiply(m, n, k, {left.data(), k}, {right.data(), n}, scale.data(), n, false);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      vc[i * vc_stride + j] +=
          static_cast<T>(terms) * square(scale[static_cast<size_t>(i * n + j)]);
    }
  }
  if (va != nullptr) {
    const auto variance = dense(Operand<T>{va, a.stride, a.transposed}, m, k, same);
    const auto squares = dense(b, k, n, square<T>);
    math.multiply(m, n, k, {variance.data(), k}, {squares.data(), n}, vc, vc_stride, true);
  }
  if (vb != nullptr) {
    const auto squares = dense(a, m, k, square<T>);
    const auto variance = dense(Operand<T>{vb, b.stride, b.transposed}, k, n, same);
    math.multiply(m, n, k, {squares.data(), k}, {variance.data(), n}, vc, vc_stride, true);
  }
}

template class Math<float>;
template class Math<double>;
template void add_product_error(const Math<float>&,
                                int64_t,
                                int64_t,
                                int64_t,
                                Operand<float>,
                                const float*,
                                Operand<float>,
                                const float*,
                                float*,
                                int64_t,
                                int64_t);
template void add_product_error(const Math<double>&,
                                int64_t,
                                int64_t,
                                int64_t,
                                Operand<double>,
                                const double*,
                                Operand<double>,
                                const double*,
                                double*,
                                int64_t,
                                int64_t);

}  // namespace crossbind::reference
