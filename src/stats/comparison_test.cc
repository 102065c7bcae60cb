#include "stats/comparison.h"

#include <limits>

#include "testing/testing.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Sample = std::vector<double>;

TEST(Comparison, SaysEverythingAboutTwoSamples) {
  const Sample a = {10, 11, 12, 13, 14};
  const Sample b = {20, 22, 24, 26, 28};
  const auto result = compare(a, b).value();
  EXPECT_EQ(result.median_a, 12);
  EXPECT_EQ(result.median_b, 24);
  EXPECT_EQ(result.ratio, 2.0);
  EXPECT_LE(result.ratio_interval.value().low, 2);
  EXPECT_GE(result.ratio_interval.value().high, 2);
  EXPECT_EQ(result.test.u, 0);
  EXPECT_NEAR(result.test.p, 2.0 / 252, 1e-15);
  EXPECT_EQ(result.smallest_p, result.test.p);
  EXPECT_EQ(result.cliffs_delta, -1);
  EXPECT_EQ(result.effect, Magnitude::kLarge);
}

TEST(Comparison, HasNoRatioToZero) {
  const auto zero = compare(Sample{0, 0, 0}, Sample{1, 2}).value();
  EXPECT_EQ(zero.ratio, std::nullopt);
  EXPECT_EQ(zero.ratio_interval, std::nullopt);
  // A resample of this a can have a median of 0.
  const auto sometimes = compare(Sample{0, 1, 2}, Sample{1, 2}).value();
  EXPECT_EQ(sometimes.ratio, 1.5);
  EXPECT_EQ(sometimes.ratio_interval, std::nullopt);
}

TEST(Comparison, TakesOneNumberAgainstOne) {
  const auto result = compare(Sample{2}, Sample{3}).value();
  EXPECT_EQ(result.ratio, 1.5);
  EXPECT_EQ(result.ratio_interval, std::nullopt);
  EXPECT_EQ(result.test.p, 1);
  EXPECT_EQ(result.smallest_p, 1);
}

TEST(Comparison, RefusesWhatItCannotCompare) {
  EXPECT_THAT(compare({}, Sample{1}), fails_with(HasSubstr("sample a is empty")));
  EXPECT_THAT(compare(Sample{1}, Sample{std::numeric_limits<double>::infinity()}),
              fails_with(HasSubstr("sample b is inf")));
  EXPECT_THAT(compare(Sample{1}, Sample{1}, {.confidence = 2}),
              fails_with(HasSubstr("confidence")));
}

TEST(Comparison, BoundsTheRatioOfLargeSamplesAsResamplingDoes) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 1001; ++i) {
    a.push_back(1 + 1e-3 * (i * 7919 % 1001));
    b.push_back(3 + 3e-3 * (i * 7907 % 1001));
  }
  const auto large = compare(a, b).value().ratio_interval.value();
  a.resize(999);  // together no more than are resampled
  const auto resampled = compare(a, b).value().ratio_interval.value();
  // Both are estimates of the same interval, about 0.08 wide; a tenth of that is their own noise.
  EXPECT_NEAR(large.low, resampled.low, 0.01);
  EXPECT_NEAR(large.high, resampled.high, 0.01);
}

TEST(Comparison, HasNoIntervalForOneNumberAgainstVeryMany) {
  EXPECT_EQ(compare(std::vector<double>(3000, 2), std::vector<double>{1}).value().ratio_interval,
            std::nullopt);
}

}  // namespace
}  // namespace crossbind::stats
