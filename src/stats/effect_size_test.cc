#include "stats/effect_size.h"

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Sample = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Sample some_numbers() {
  return *rc::gen::nonEmpty(rc::gen::container<Sample>(
      rc::gen::map(rc::gen::inRange(-30, 30), [](int i) { return i / 4.0; })));
}

TEST(EffectSizes, AgreeWithTheMatrixOfDominances) {
  for (const auto& test : fixtures("effect_sizes")) {
    const auto a = test["a"].get<Sample>();
    const auto b = test["b"].get<Sample>();
    const auto delta = test["delta"].get<double>();
    EXPECT_THAT(cliffs_delta(a, b), is_close_to(delta));
    EXPECT_THAT(vargha_delaney(a, b), is_close_to((delta + 1) / 2));
    EXPECT_THAT(hodges_lehmann(a, b), is_close_to(test["shift"].get<double>()));
    const auto interval = cliffs_delta_interval(a, b).value();
    EXPECT_NEAR(interval.low, test["low"].get<double>(), kTolerance) << test;
    EXPECT_NEAR(interval.high, test["high"].get<double>(), kTolerance) << test;
  }
}

// The example of the R package effsize, from Hess and Kromrey (2004).
TEST(CliffsDelta, AgreesWithThePublishedExample) {
  const Sample treatment = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50};
  const Sample control = {10, 20, 30, 40, 40, 50};
  EXPECT_EQ(cliffs_delta(treatment, control).value(), -0.25);
  EXPECT_EQ(magnitude_of(-0.25), Magnitude::kSmall);
  const auto interval = cliffs_delta_interval(treatment, control).value();
  EXPECT_NEAR(interval.low, -0.7265846, 5e-8);
  EXPECT_NEAR(interval.high, 0.3890062, 5e-8);
}

// Hollander and Wolfe (1973), p. 69, as R's help for wilcox.test has it.
TEST(HodgesLehmann, AgreesWithThePublishedExample) {
  const Sample term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Sample early = {1.15, 0.88, 0.90, 0.74, 1.21};
  EXPECT_NEAR(hodges_lehmann(term, early).value(), 0.305, 1e-12);
}

TEST(CliffsDelta, HasTheStudysThresholds) {
  EXPECT_EQ(to_string(magnitude_of(0)), "negligible");
  EXPECT_EQ(to_string(magnitude_of(0.147)), "negligible");
  EXPECT_EQ(to_string(magnitude_of(-0.1471)), "small");
  EXPECT_EQ(to_string(magnitude_of(0.33)), "small");
  EXPECT_EQ(to_string(magnitude_of(0.3301)), "medium");
  EXPECT_EQ(to_string(magnitude_of(-0.474)), "medium");
  EXPECT_EQ(to_string(magnitude_of(0.4741)), "large");
  EXPECT_EQ(to_string(magnitude_of(-1)), "large");
}

TEST(EffectSizes, OfEqualNumbersAreNone) {
  const Sample a(4, 7.0);
  const Sample b(3, 7.0);
  EXPECT_EQ(cliffs_delta(a, b).value(), 0);
  EXPECT_EQ(vargha_delaney(a, b).value(), 0.5);
  EXPECT_EQ(hodges_lehmann(a, b).value(), 0);
  const auto interval = cliffs_delta_interval(a, b).value();
  EXPECT_LT(interval.low, 0);
  EXPECT_EQ(interval.low, -interval.high);
}

TEST(EffectSizes, RefuseWhatHasNoOrder) {
  const Sample one = {1};
  EXPECT_THAT(cliffs_delta({}, one), fails_with(HasSubstr("sample a is empty")));
  EXPECT_THAT(vargha_delaney(one, Sample{kNan}), fails_with(HasSubstr("sample b")));
  EXPECT_THAT(hodges_lehmann(one, Sample{kInfinity}), fails_with(HasSubstr("is inf")));
  EXPECT_EQ(cliffs_delta(one, Sample{kInfinity}).value(), -1);
  EXPECT_THAT(cliffs_delta_interval(one, Sample{1, 2}),
              fails_with(HasSubstr("sample a has 1 number; at least 2 are needed")));
  EXPECT_THAT(cliffs_delta_interval(Sample{1, 2}, Sample{1, 2}, 1),
              fails_with(HasSubstr("the confidence is 1")));
}

RC_GTEST_PROP(EffectSizes, ChangeTheirSignWithTheOrderOfSamples, ()) {
  const Sample a = some_numbers();
  const Sample b = some_numbers();
  RC_ASSERT(cliffs_delta(a, b).value() == -cliffs_delta(b, a).value());
  RC_ASSERT(hodges_lehmann(a, b).value() == -hodges_lehmann(b, a).value());
  RC_ASSERT(std::fabs(vargha_delaney(a, b).value() + vargha_delaney(b, a).value() - 1) < 1e-15);
}

RC_GTEST_PROP(HodgesLehmann, IsTheMedianOfAllDifferencesAndFollowsAShift, ()) {
  const Sample a = some_numbers();
  const Sample b = some_numbers();
  Sample differences;
  Sample moved = a;
  for (double& value : moved) {
    value += 8;
  }
  for (const double x : a) {
    for (const double y : b) {
      differences.push_back(x - y);
    }
  }
  std::ranges::sort(differences);
  const size_t n = differences.size();
  const double expected = (differences[(n - 1) / 2] + differences[n / 2]) / 2;
  RC_ASSERT(hodges_lehmann(a, b).value() == expected);
  RC_ASSERT(hodges_lehmann(moved, b).value() == expected + 8);
}

}  // namespace
}  // namespace crossbind::stats
