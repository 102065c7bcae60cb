#include "stats/agreement.h"

#include <cmath>
#include <limits>

#include "testing/testing.h"

namespace crossbind::stats {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;

using Floats = std::vector<float>;

Outputs classes(const Floats& values) {
  return {Reading::kClass, 3, values};
}

TEST(Agreement, OfEqualOutputsIsBitForBit) {
  const Floats outputs = {1, 2, 3, 6, 5, 4};
  const auto found = agreement(classes(outputs), classes(outputs)).value();
  EXPECT_EQ(found.samples, 2U);
  EXPECT_TRUE(found.is_identical);
  EXPECT_EQ(found.largest_difference, 0);
  EXPECT_EQ(found.differing, 0U);
  EXPECT_EQ(found.smallest_margin, std::nullopt);
  EXPECT_EQ(found.largest_margin, std::nullopt);
}

TEST(Agreement, SeesTheSignOfZero) {
  const Floats plus = {0.0F, 2, 3};
  const Floats minus = {-0.0F, 2, 3};
  const auto found = agreement(classes(plus), classes(minus)).value();
  EXPECT_FALSE(found.is_identical);
  EXPECT_EQ(found.largest_difference, 0);
}

TEST(Agreement, CountsPredictionsThatDifferAndHowSureTheyWere) {
  const Floats expected = {1, 2, 4, 8, 5, 4, 0, 1, 0};
  const Floats other = {5, 2, 4, 5, 5.5F, 4, 0, 1, 0.5F};
  const auto found = agreement(classes(expected), classes(other)).value();
  EXPECT_EQ(found.samples, 3U);
  EXPECT_EQ(found.differing, 2U);
  EXPECT_EQ(found.smallest_margin, 2);
  EXPECT_EQ(found.largest_margin, 3);
  EXPECT_EQ(found.largest_difference, 4);
}

TEST(Agreement, OfATieTheLowestIndexIsThePrediction) {
  const Floats tie = {7, 7, 1};
  const Floats broken = {7, 7.5F, 1};
  EXPECT_THAT(predictions(classes(tie)).value(), ElementsAre(0));
  const auto found = agreement(classes(tie), classes(broken)).value();
  EXPECT_EQ(found.differing, 1U);
  EXPECT_EQ(found.smallest_margin, 0);
}

TEST(Agreement, OneOutputMeansYesAboveZero) {
  const Floats expected = {0, 0.25F, -3, 2};
  const Floats other = {0.5F, -0.25F, -2, 1};
  const Outputs first{Reading::kSign, 1, expected};
  const Outputs second{Reading::kSign, 1, other};
  EXPECT_THAT(predictions(first).value(), ElementsAre(0, 1, 0, 1));
  const auto found = agreement(first, second).value();
  EXPECT_EQ(found.differing, 2U);
  EXPECT_EQ(found.smallest_margin, 0);
  EXPECT_EQ(found.largest_margin, 0.25);
  EXPECT_EQ(accuracy(first, std::vector<int64_t>{0, 1, 1, 1}).value(), 0.75);
}

TEST(Agreement, ASpanIsRightAndTheSameWhenBothEndsAre) {
  // Two samples of three positions, start and end of each beside each other.
  const Floats expected = {9, 0, 1, 2, 0, 8, /**/ 1, 0, 5, 2, 0, 3};
  const Floats other = {9, 0, 1, 2, 0, 8, /**/ 6, 0, 5, 4, 0, 3};
  const Outputs first{Reading::kSpan, 6, expected};
  const Outputs second{Reading::kSpan, 6, other};
  EXPECT_THAT(predictions(first).value(), ElementsAre(0, 2, 1, 2));
  const auto found = agreement(first, second).value();
  EXPECT_EQ(found.samples, 2U);
  EXPECT_EQ(found.differing, 1U);  // both ends of one sample
  EXPECT_EQ(found.smallest_margin, 1);
  EXPECT_EQ(accuracy(first, std::vector<int64_t>{0, 2, 1, 1}).value(), 0.5);
}

TEST(Agreement, RefusesWhatIsNotFinite) {
  const Floats fine = {1, 2, 3, 4, 5, 6};
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Floats outputs = {1, 2, 3, 4, wrong, 6};
    EXPECT_THAT(agreement(classes(fine), classes(outputs)),
                fails_with(HasSubstr("sample 1 is not finite")));
    EXPECT_THAT(agreement(classes(outputs), classes(fine)),
                fails_with(HasSubstr("sample 1 is not finite")));
  }
}

TEST(Agreement, RefusesOutputsOfOtherSamples) {
  const Floats two = {1, 2, 3, 4, 5, 6};
  const Floats one = {1, 2, 3};
  EXPECT_THAT(agreement(classes(two), classes(one)), fails_with(HasSubstr("cannot be compared")));
  EXPECT_THAT(predictions({Reading::kClass, 4, two}), fails_with(HasSubstr("no rows of 4")));
  EXPECT_THAT(predictions({Reading::kSign, 2, two}), fails_with(HasSubstr("no rows of 2")));
  EXPECT_THAT(predictions({Reading::kSpan, 3, two}), fails_with(HasSubstr("no rows of 3")));
  EXPECT_THAT(predictions({Reading::kClass, 3, {}}), fails_with(HasSubstr("no rows of 3")));
  EXPECT_THAT(accuracy(classes(two), std::vector<int64_t>{1}),
              fails_with(HasSubstr("2 predictions for 1 targets")));
}

}  // namespace
}  // namespace crossbind::stats
