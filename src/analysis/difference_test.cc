#include "analysis/difference.h"

#include "testing/testing.h"

namespace crossbind::analysis {
namespace {

TEST(Difference, IsOneOnlyWhenItIsSignificantAndAboveTheNoise) {
  EXPECT_EQ(difference(0.05, 0.01, true), Difference::kFound);
  EXPECT_EQ(difference(0.05, 0.01, false), Difference::kBelowNoise);
  EXPECT_EQ(difference(0.06, 0.01, true), Difference::kNotFound);
  EXPECT_EQ(difference(0.06, 0.01, false), Difference::kNotFound);
}

TEST(Difference, IsNotFoundOnlyWhereItCouldHaveBeen) {
  EXPECT_EQ(difference(0.4, 0.05, true), Difference::kNotFound);
  EXPECT_EQ(difference(0.4, 0.051, true), Difference::kTooFew);
}

TEST(Difference, IsNoneWithoutANoiseFloor) {
  EXPECT_EQ(difference(0.01, 0.001, std::nullopt), Difference::kUnknownNoise);
  EXPECT_EQ(difference(0.4, 0.001, std::nullopt), Difference::kNotFound);
}

}  // namespace
}  // namespace crossbind::analysis
