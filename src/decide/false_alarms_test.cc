#include "decide/false_alarms.h"

#include <cmath>
#include <set>

#include "decide/gate.h"
#include "decide/made_up.h"
#include "tensor/philox.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using Numbers = std::vector<double>;

enum class Noise { kNormal, kSkewed, kDrift, kOutliers, kTies, kTwoModes };

// What timings look like: seconds around 1, with noise larger than the limit.
double draw(Noise noise, tensor::PhiloxStream& stream, size_t index, size_t count) {
  const double z = stream.normal();
  switch (noise) {
    case Noise::kNormal:
      return 1 + 0.1 * z;
    case Noise::kSkewed:
      return std::exp(0.5 * z);
    case Noise::kDrift:
      return 1 + static_cast<double>(index) / static_cast<double>(count) + 0.02 * z;
    case Noise::kOutliers:
      return stream.uniform() < 0.1 ? 10 + z : 1 + 0.1 * z;
    case Noise::kTies:
      return 1 + std::round(2 * z) / 10;
    case Noise::kTwoModes:
      return (stream.uniform() < 0.5 ? 1 : 1.5) + 0.01 * z;
  }
  return 1;
}

std::vector<Numbers> samples_of(Noise noise, size_t comparisons, size_t count) {
  std::vector<Numbers> samples(comparisons);
  for (size_t i = 0; i < comparisons; ++i) {
    tensor::PhiloxStream stream(
        11, tensor::Purpose::kTest, static_cast<uint32_t>(noise), static_cast<uint32_t>(i));
    samples[i].reserve(count);
    for (size_t k = 0; k < count; ++k) {
      samples[i].push_back(draw(noise, stream, k, count));
    }
  }
  return samples;
}

class SelfTestOf : public ::testing::TestWithParam<Noise> {};

TEST_P(SelfTestOf, RaisesFalseAlarmsInNoMoreThanAlphaOfTwoHundredResamplings) {
  for (const size_t comparisons : {1U, 12U}) {
    const auto samples = samples_of(GetParam(), comparisons, 20);
    const auto test = self_test(samples, {.slowdown = 0.05, .alpha = 0.05}).value();
    EXPECT_EQ(test.resamplings, 200U);
    EXPECT_EQ(test.can_alarm, comparisons);
    EXPECT_LE(test.rate(), 0.05) << comparisons << " comparisons";
  }
}

// Were the rate 0 whatever the noise, the test above would prove nothing: without a limit a
// generous alpha must be used up in part.
TEST_P(SelfTestOf, RaisesSomeWhereAlphaIsGenerous) {
  const auto test =
      self_test(samples_of(GetParam(), 12, 20), {.slowdown = 0, .alpha = 0.4}).value();
  EXPECT_GT(test.alarms, 10U);
  EXPECT_LE(test.rate(), 0.4);
}

INSTANTIATE_TEST_SUITE_P(Noises,
                         SelfTestOf,
                         ::testing::Values(Noise::kNormal,
                                           Noise::kSkewed,
                                           Noise::kDrift,
                                           Noise::kOutliers,
                                           Noise::kTies,
                                           Noise::kTwoModes));

TEST(SelfTest, IsTheSameForTheSameSeed) {
  const auto samples = samples_of(Noise::kSkewed, 4, 20);
  const TimeLimits generous{.slowdown = 0, .alpha = 0.3};
  const auto one = self_test(samples, generous, {.seed = 3}).value();
  EXPECT_EQ(one.alarms, self_test(samples, generous, {.seed = 3}).value().alarms);
  std::set<uint32_t> alarms;
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    alarms.insert(self_test(samples, generous, {.seed = seed}).value().alarms);
  }
  EXPECT_GT(alarms.size(), 1U);
}

TEST(SelfTest, SaysHowManyComparisonsCouldRaiseAnAlarm) {
  const std::vector<Numbers> samples = {{1}, {1, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8}};
  const auto test = self_test(samples, {}).value();
  EXPECT_EQ(test.comparisons, 2U);
  EXPECT_EQ(test.can_alarm, 1U);
}

TEST(SelfTest, PassesWhileFalseAlarmsAreNoMoreFrequentThanAlpha) {
  const TimeLimits limits{.alpha = 0.05};
  const SelfTest at_the_limit{.resamplings = 200, .comparisons = 3, .can_alarm = 1, .alarms = 10};
  EXPECT_EQ(decision_of(at_the_limit, limits), GateDecision::kPassed);
  auto beyond = at_the_limit;
  beyond.alarms = 11;
  EXPECT_EQ(decision_of(beyond, limits), GateDecision::kFailed);
  EXPECT_EQ(decision_of(beyond, {.alpha = 0.1}), GateDecision::kPassed);
}

TEST(SelfTest, IsUndecidedWhereNoHalvesCouldRaiseAnAlarm) {
  const SelfTest silent{.resamplings = 200, .comparisons = 3, .can_alarm = 0, .alarms = 0};
  EXPECT_EQ(decision_of(silent, {}), GateDecision::kUndecided);
}

TEST(SelfTest, TakesTheTimesOfAStore) {
  const auto store = store_of(noisy_trainings("pytorch/rust", 12, 3));
  const auto test = self_test(store, TimeLimits{}).value();
  EXPECT_EQ(test.comparisons, 1U);
  EXPECT_EQ(test.can_alarm, 1U);
  EXPECT_LE(test.rate(), 0.05);
}

}  // namespace
}  // namespace crossbind::decide
