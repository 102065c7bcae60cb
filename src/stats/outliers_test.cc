#include "stats/outliers.h"

#include <limits>

#include "testing/testing.h"

namespace crossbind::stats {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Sample = std::vector<double>;

TEST(Outliers, AreFarFromTheMedianInUnitsOfTheMad) {
  // Median 2.15, MAD 0.04: the last two have modified z-scores of 85 and 2.7.
  const Sample sample = {2.10, 2.13, 2.11, 2.16, 2.15, 7.2, 2.31};
  EXPECT_THAT(outliers(sample).value(), ElementsAre(5));
  EXPECT_THAT(outliers(sample, 2.5).value(), ElementsAre(5, 6));
  EXPECT_THAT(outliers(Sample{1, 2, 3, 4, 5, 6}).value(), IsEmpty());
}

TEST(Outliers, AreFoundWhereMostNumbersAreEqual) {
  Sample sample(20, 1.0);
  EXPECT_THAT(outliers(sample).value(), IsEmpty());
  sample[3] = 1.5;  // the MAD is still 0, the mean deviation 0.025
  EXPECT_THAT(outliers(sample).value(), ElementsAre(3));
}

TEST(Outliers, OneNumberIsNone) {
  EXPECT_THAT(outliers(Sample{5}).value(), IsEmpty());
}

TEST(Outliers, NeedFiniteNumbersAndAThreshold) {
  EXPECT_THAT(outliers({}), fails_with(HasSubstr("is empty")));
  EXPECT_THAT(outliers(Sample{1, std::numeric_limits<double>::infinity()}),
              fails_with(HasSubstr("number 2")));
  EXPECT_THAT(outliers(Sample{1}, 0), fails_with(HasSubstr("threshold is 0")));
}

}  // namespace
}  // namespace crossbind::stats
