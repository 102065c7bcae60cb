#include "stats/sample_size.h"

#include "testing/testing.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;

// (1.6449 + 1.2816)^2 / (6 x 0.2^2) = 35.7: 72 in all at P = 0.7, one-sided 5 %, power 90 %.
TEST(SampleSize, IsThatOfNoethersFormula) {
  EXPECT_EQ(samples_for(0.7, 0.05, 0.9).value(), 36U);
  EXPECT_EQ(samples_for(0.75, 0.05, 0.8).value(), 17U);
  EXPECT_GT(samples_for(0.501, 0.05).value(), 1'000'000U);
}

TEST(SampleSize, DoesNotExistWhereNothingDiffers) {
  EXPECT_THAT(samples_for(0.5, 0.05), fails_with(HasSubstr("no number of samples")));
  EXPECT_THAT(samples_for(0.3, 0.05), fails_with(HasSubstr("no number of samples")));
  EXPECT_THAT(samples_for(0.7, 0), fails_with(HasSubstr("alpha")));
}

}  // namespace
}  // namespace crossbind::stats
