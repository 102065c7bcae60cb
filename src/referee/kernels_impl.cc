// Compiled once for each instruction set, with CROSSBIND_KERNELS naming the function and Eigen's
// namespace renamed (see CMakeLists.txt), so that the linker cannot mix the copies.
#include <Eigen/Core>

#include <bit>

#include "referee/kernels.h"

namespace crossbind::referee {
namespace {

template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using View = Eigen::Map<const RowMajor<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <typename T, typename A, typename B>
void store(const A& a, const B& b, const Product<T>& p) {
  Eigen::Map<RowMajor<T>, Eigen::Unaligned, Eigen::OuterStride<>> c(
      p.c, p.m, p.n, Eigen::OuterStride<>(p.c_stride));
  if (p.accumulate) {
    c.noalias() += a * b;
  } else {
    c.noalias() = a * b;
  }
}

template <typename T>
void multiply(const Product<T>& p) {
  const View<T> a(p.a,
                  p.a_transposed ? p.k : p.m,
                  p.a_transposed ? p.m : p.k,
                  Eigen::OuterStride<>(p.a_stride));
  const View<T> b(p.b,
                  p.b_transposed ? p.n : p.k,
                  p.b_transposed ? p.k : p.n,
                  Eigen::OuterStride<>(p.b_stride));
  if (p.a_transposed && p.b_transposed) {
    store(a.transpose(), b.transpose(), p);
  } else if (p.a_transposed) {
    store(a.transpose(), b, p);
  } else if (p.b_transposed) {
    store(a, b.transpose(), p);
  } else {
    store(a, b, p);
  }
}

// exp(x) - 1 for |x| <= 708 without a branch, so that the compiler vectorises the loops below.
// x = k ln 2 + r with |r| <= ln 2 / 2; expm1(r) by its Taylor series, whose 14th term is below
// 2^-56; then 2^k expm1(r) + (2^k - 1), accurate near zero because there k = 0.
inline double expm1_in_range(double x) {
  constexpr double kInverseLn2 = 1.4426950408889634074;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // k * kLn2High is exact
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kRound = 0x1.8p52;  // adding it rounds to the nearest integer
  const double shifted = x * kInverseLn2 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  const double fraction = r + r * r * series;
  const auto bits = std::bit_cast<uint64_t>(shifted) << 52;  // k, moved into the exponent
  const double power = std::bit_cast<double>(bits + 0x3ff0000000000000ULL);
  return power * fraction + (power - 1);
}

inline double clamp(double x, double limit) {
  const double low = x < -limit ? -limit : x;  // a NaN stays a NaN
  return low > limit ? limit : low;
}

void tanh_loop(const double* x, double* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    // Beyond 20, tanh is 1 to the last bit.
    const double e = expm1_in_range(2 * clamp(x[i], 20));
    y[i] = e / (e + 2);
  }
}

void sigmoid_loop(const double* x, double* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const double e = expm1_in_range(-clamp(x[i], 700)) + 1;
    y[i] = 1 / (1 + e);
  }
}

}  // namespace

const Kernels& CROSSBIND_KERNELS();
const Kernels& CROSSBIND_KERNELS() {
  static constexpr Kernels kTable = {
      CROSSBIND_KERNELS_NAME, multiply<double>, multiply<float>, tanh_loop, sigmoid_loop};
  return kTable;
}

}  // namespace crossbind::referee
