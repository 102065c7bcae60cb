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
  }
}

// The example of the R package effsize, from Hess and Kromrey (2004).
TEST(CliffsDelta, AgreesWithThePublishedExample) {
  const Sample treatment = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50};
  const Sample control = {10, 20, 30, 40, 40, 50};
  EXPECT_EQ(cliffs_delta(treatment, control).value(), -0.25);
  EXPECT_EQ(magnitude_of(-0.25), Magnitude::kSmall);
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
}

TEST(EffectSizes, RefuseWhatHasNoOrder) {
  const Sample one = {1};
  EXPECT_THAT(cliffs_delta({}, one), fails_with(HasSubstr("sample a is empty")));
  EXPECT_THAT(vargha_delaney(one, Sample{kNan}), fails_with(HasSubstr("sample b")));
  EXPECT_EQ(cliffs_delta(one, Sample{kInfinity}).value(), -1);
}

RC_GTEST_PROP(EffectSizes, ChangeTheirSignWithTheOrderOfSamples, ()) {
  const Sample a = some_numbers();
  const Sample b = some_numbers();
  RC_ASSERT(cliffs_delta(a, b).value() == -cliffs_delta(b, a).value());
  RC_ASSERT(std::fabs(vargha_delaney(a, b).value() + vargha_delaney(b, a).value() - 1) < 1e-15);
}

}  // namespace
}  // namespace crossbind::stats
