#include "decide/slowdown.h"

#include <rapidcheck/gtest.h>

#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

const Numbers kTimes = {1.00, 1.01, 1.02, 1.03, 1.04};

Numbers scaled(Numbers times, double factor) {
  for (double& time : times) {
    time *= factor;
  }
  return times;
}

TimeFinding judged(const Numbers& baseline, const Numbers& candidate, double limit = 0.05) {
  const std::vector<TimeSamples> one = {{baseline, candidate}};
  return judge_times(one, {.slowdown = limit}).value()[0];
}

TEST(Slowdown, IsOneOnlyWhenItIsSignificantAndLargerThanTheLimit) {
  EXPECT_EQ(judged(kTimes, scaled(kTimes, 3)).pace, Pace::kSlower);
  EXPECT_EQ(judged(kTimes, scaled(kTimes, 3), 2.5).pace, Pace::kWithinLimit);
  EXPECT_EQ(judged(kTimes, scaled(kTimes, 0.3)).pace, Pace::kFaster);
  // The median is 8 % up, but one slow run among five is no evidence.
  EXPECT_EQ(judged(kTimes, {1.00, 1.01, 1.10, 1.02, 1.11}).pace, Pace::kNotSlower);
  EXPECT_EQ(judged(kTimes, kTimes).pace, Pace::kNotSlower);
}

// Four times in ten a run takes half as long again, whatever the build; the candidate is 1 % slower
// in what else it does, which ranks find and which is nothing beside that.
TEST(Slowdown, BelowTheNoiseIsNone) {
  Numbers baseline;
  Numbers candidate;
  for (int i = 0; i < 60; ++i) {
    const bool is_disturbed = i % 10 < 4;
    baseline.push_back(is_disturbed ? 1.5 : 1 + 1e-5 * i);
    candidate.push_back(is_disturbed ? 1.6 : 1.01 + 1e-5 * i);
  }
  const auto found = judged(baseline, candidate, 0);
  EXPECT_LE(found.p_adjusted, 0.05);
  EXPECT_GT(found.noise.value(), found.ratio);
  EXPECT_EQ(found.pace, Pace::kWithinNoise);
}

TEST(Slowdown, OfFiveAgainstFiveHasTheExactTwoSidedP) {
  const auto found = judged(kTimes, scaled(kTimes, 2));
  EXPECT_DOUBLE_EQ(found.p, 2.0 / 252);
  EXPECT_DOUBLE_EQ(found.smallest_p, 2.0 / 252);
  EXPECT_DOUBLE_EQ(found.ratio, 2);
  EXPECT_EQ(found.needed, 0U);
}

TEST(Slowdown, SaysWhenNothingCouldHaveBeenFound) {
  const auto found = judged({1, 1.01}, {9, 9.01});
  EXPECT_EQ(found.pace, Pace::kTooFew);
  EXPECT_DOUBLE_EQ(found.smallest_p, 1.0 / 3);
  EXPECT_EQ(found.needed, 4U);  // two of seventy ways
}

TEST(Slowdown, OfOneAmongManyNeedsMoreSamplesThanOfAll) {
  const TimeSamples same{kTimes, kTimes};
  const TimeSamples slow{kTimes, scaled(kTimes, 3)};
  std::vector<TimeSamples> many(24, same);
  many[3] = slow;
  const auto one = judge_times(many, {}).value();
  EXPECT_EQ(one[3].pace, Pace::kNotSlower);
  EXPECT_EQ(one[3].needed, 7U);
  const auto all = judge_times(std::vector<TimeSamples>(24, slow), {}).value();
  for (const auto& found : all) {
    EXPECT_EQ(found.pace, Pace::kSlower);
  }
}

TEST(Slowdown, IsJudgedOfManySamplesToo) {
  Numbers many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(1 + i % 10 * 0.01);
  }
  EXPECT_EQ(judged(many, scaled(many, 1.2)).pace, Pace::kSlower);
  EXPECT_EQ(judged(many, many).pace, Pace::kNotSlower);
}

TEST(Slowdown, NeedsAnAlphaThatIsAProbability) {
  const std::vector<TimeSamples> one = {{kTimes, kTimes}};
  EXPECT_THAT(judge_times(one, {.alpha = 1}), fails_with(HasSubstr("alpha")));
  EXPECT_TRUE(judge_times({}, {}).value().empty());
}

RC_GTEST_PROP(Slowdown, DoesNotDependOnTheOrderOfSamples, ()) {
  const auto time = rc::gen::map(rc::gen::inRange(1, 50), [](int i) { return i / 10.0; });
  auto baseline = *rc::gen::container<Numbers>(7, time);
  auto candidate = *rc::gen::container<Numbers>(6, time);
  const auto before = judged(baseline, candidate);
  std::ranges::reverse(baseline);
  std::ranges::sort(candidate);
  const auto after = judged(baseline, candidate);
  RC_ASSERT(before.pace == after.pace);
  RC_ASSERT(before.p == after.p);
}

}  // namespace
}  // namespace crossbind::decide
