#include "referee/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "referee/math.h"
#include "tensor/philox.h"

namespace crossbind::referee {
namespace {

std::vector<double> random_values(int64_t count, uint32_t seed) {
  tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, 0);
  std::vector<double> values(static_cast<size_t>(count));
  for (auto& value : values) {
    value = 2 * stream.uniform() - 1;
  }
  return values;
}

double naive(const std::vector<double>& a,
             bool ta,
             const std::vector<double>& b,
             bool tb,
             int64_t m,
             int64_t n,
             int64_t k,
             int64_t i,
             int64_t j) {
  double sum = 0;
  for (int64_t p = 0; p < k; ++p) {
    sum += a[static_cast<size_t>(ta ? p * m + i : i * k + p)] *
           b[static_cast<size_t>(tb ? j * k + p : p * n + j)];
  }
  return sum;
}

TEST(Kernels, EveryInstructionSetMultipliesInEveryLayout) {
  const auto list = available_kernels();
  for (int set = 0; set < list.count; ++set) {
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 1}, {6, 50, 25}, {33, 17, 40}, {130, 5, 9}}) {
      for (const int layout : {0, 1, 2, 3}) {
        const bool ta = (layout & 1) != 0;
        const bool tb = (layout & 2) != 0;
        const auto a = random_values(m * k, 1);
        const auto b = random_values(k * n, 2);
        std::vector<double> c(static_cast<size_t>(m * n), 1.0);
        list.items[set]->multiply_double(
            {m, n, k, a.data(), ta ? m : k, ta, b.data(), tb ? k : n, tb, c.data(), n, true});
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            // Sums of at most 40 products below one: a few ulp.
            ASSERT_NEAR(
                c[static_cast<size_t>(i * n + j)], 1 + naive(a, ta, b, tb, m, n, k, i, j), 1e-14)
                << list.items[set]->name;
          }
        }
      }
    }
  }
}

TEST(Kernels, TranscendentalsAreGoodToAFewUlp) {
  const auto list = available_kernels();
  for (int set = 0; set < list.count; ++set) {
    std::vector<double> x;
    for (double v = 1e-9; v < 800; v *= 1.01) {
      x.push_back(v);
      x.push_back(-v);
    }
    std::vector<double> y(x.size());
    list.items[set]->tanh(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      // Relative: exact near zero too. 2e-15 is nine ulp, far below float32's 6e-8.
      ASSERT_NEAR(y[i], std::tanh(x[i]), 2e-15 * std::abs(std::tanh(x[i]))) << x[i];
    }
    list.items[set]->sigmoid(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double clamped = std::clamp(x[i], -700.0, 700.0);
      const double exact = 1 / (1 + std::exp(-clamped));
      ASSERT_NEAR(y[i], exact, 2e-15 * exact) << x[i];
    }
  }
}

TEST(Kernels, ANotANumberComesThrough) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double y = 0;
  kernels().tanh(&nan, &y, 1);
  EXPECT_TRUE(std::isnan(y));
  kernels().sigmoid(&nan, &y, 1);
  EXPECT_TRUE(std::isnan(y));
}

TEST(Math, AProductDoesNotDependOnTheNumberOfThreads) {
  constexpr int64_t kM = 600, kN = 70, kK = 300;
  const auto a = random_values(kM * kK, 3);
  const auto b = random_values(kK * kN, 4);
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 5}) {
    std::vector<double> c(kM * kN);
    Math<double>({.threads = threads})
        .multiply({a.data(), kM, kK, kK}, {b.data(), kK, kN, kN}, {c.data(), kM, kN, kN});
    results.push_back(c);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Math, APermutedOrderChangesRoundingOnly) {
  const auto wide = random_values(1000, 5);
  const std::vector<float> values(wide.begin(), wide.end());
  const auto sum = [&](std::optional<uint32_t> seed) {
    return Math<float>({.permutation_seed = seed}).sum(1000, [&](int64_t i) {
      return values[static_cast<size_t>(i)];
    });
  };
  EXPECT_EQ(sum(1), sum(1));
  EXPECT_NE(sum(1), sum(2));
  EXPECT_NEAR(sum(1), sum(std::nullopt), 1e-4);  // 1000 terms below one: 1000 * 2^-24
}

}  // namespace
}  // namespace crossbind::referee
