#include "stats/summary.h"

#include <limits>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;

TEST(Summary, HasTheMeanOfNumbers) {
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(mean(std::vector<double>{-2.5}), -2.5);
}

TEST(Summary, AgreesWithNumpyAndScipy) {
  for (const auto& test : fixtures("quantiles")) {
    const auto sample = test["sample"].get<std::vector<double>>();
    EXPECT_THAT(median(sample), is_close_to(test["median"].get<double>()));
    for (size_t i = 0; i < test["at"].size(); ++i) {
      EXPECT_THAT(quantile(sample, test["at"][i].get<double>()),
                  is_close_to(test["quantiles"][i].get<double>()));
    }
  }
}

TEST(Summary, OneNumberIsItsOwnMedian) {
  const std::vector one = {3.5};
  EXPECT_EQ(median(one).value(), 3.5);
  EXPECT_EQ(quantile(one, 0.3).value(), 3.5);
}

TEST(Summary, RefusesWhatHasNoMedian) {
  EXPECT_THAT(median({}), fails_with(HasSubstr("the sample is empty")));
  EXPECT_THAT(median(std::vector{1.0, kNan}),
              fails_with(HasSubstr("number 2 of the sample is nan")));
  EXPECT_THAT(median(std::vector{-kInfinity}), fails_with(HasSubstr("-inf")));
  EXPECT_THAT(quantile(std::vector{1.0}, 1.5), fails_with(HasSubstr("no quantile 1.5")));
  EXPECT_THAT(quantile(std::vector{1.0}, kNan), fails_with(HasSubstr("[0, 1]")));
}

}  // namespace
}  // namespace crossbind::stats
