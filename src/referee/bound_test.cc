#include "referee/bound.h"

#include <gtest/gtest.h>

#include <limits>

namespace crossbind::referee {
namespace {

Array<double> row(std::vector<double> values, int64_t batch) {
  Array<double> array;
  array.shape = {batch, static_cast<int64_t>(values.size()) / batch};
  array.values = std::move(values);
  return array;
}

TEST(Bound, UnitIsTheRoundoffTimesTheDeviation) {
  const auto result = bounded(row({1, 2}, 1), row({4, 0}, 1));
  EXPECT_EQ(result.unit[0], 2 * kUnitRoundoff);
  EXPECT_EQ(result.unit[1], 0);
}

TEST(Bound, ScopeDecidesWhoseUnitCounts) {
  const Bounded expected{row({0, 0, 0, 0}, 2), row({1, 4, 10, 2}, 2)};
  const auto recorded = row({32, 64, 64, 64}, 2);  // a bound is 32 units
  EXPECT_EQ(largest_deviation(recorded, expected, Scope::kElement).ratio, 1);   // 32 / 32
  EXPECT_EQ(largest_deviation(recorded, expected, Scope::kSample).ratio, 0.5);  // 64 / 128
  EXPECT_EQ(largest_deviation(recorded, expected, Scope::kTensor).ratio, 0.2);  // 64 / 320
}

TEST(Bound, SaysWhereTheWorstElementIs) {
  const Bounded expected{row({0, 5}, 1), row({1, 1}, 1)};
  const auto worst = largest_deviation(row({0.5, 8}, 1), expected, Scope::kElement);
  EXPECT_EQ(worst.index, 1);
  EXPECT_EQ(worst.error, 3);
  EXPECT_EQ(worst.bound, bound_of(1));
  EXPECT_EQ(worst.ratio, worst.error / worst.bound);
}

TEST(Bound, WhereNoErrorMayBeAnyErrorIsInfinite) {
  const Bounded exact{row({1, 2}, 1), row({0, 0}, 1)};
  EXPECT_EQ(largest_deviation(row({1, 2}, 1), exact, Scope::kSample).ratio, 0);
  EXPECT_EQ(largest_deviation(row({1, 2.5}, 1), exact, Scope::kSample).ratio,
            std::numeric_limits<double>::infinity());
}

TEST(Bound, ANotANumberIsNeverInside) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Bounded expected{row({1, 2}, 1), row({1, 1}, 1)};
  EXPECT_EQ(largest_deviation(row({1, nan}, 1), expected, Scope::kTensor).ratio,
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace crossbind::referee
