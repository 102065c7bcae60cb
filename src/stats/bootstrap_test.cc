#include "stats/bootstrap.h"

#include <limits>
#include <numeric>

#include "stats/fixtures.h"
#include "stats/summary.h"
#include "tensor/philox.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Sample = std::vector<double>;

double mean(std::span<const double> sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

double middle(std::span<const double> sample) {
  return median(sample).value();
}

double ratio(std::span<const double> a, std::span<const double> b) {
  return mean(b) / mean(a);
}

// scipy's formulas, given the resamples that are drawn here.
TEST(Bootstrap, AgreesWithScipy) {
  for (const auto& test : fixtures("bootstrap")) {
    const auto samples = test["samples"].get<std::vector<Sample>>();
    const BootstrapOptions options = {
        test["kind"] == "BCa" ? BootstrapKind::kBca : BootstrapKind::kPercentile,
        test["confidence"],
        test["resamples"],
        test["seed"]};
    const auto result = samples.size() == 2 ? bootstrap(samples[0], samples[1], ratio, options)
                        : test["statistic"] == "mean" ? bootstrap(samples[0], mean, options)
                                                      : bootstrap(samples[0], middle, options);
    ASSERT_THAT(result, testing::is_ok());
    EXPECT_EQ(result->kind, options.kind);
    EXPECT_NEAR(result->interval.low, test["low"].get<double>(), kTolerance) << test;
    EXPECT_NEAR(result->interval.high, test["high"].get<double>(), kTolerance) << test;
  }
}

TEST(Bootstrap, IsFixedByItsSeed) {
  const Sample sample = {1, 4, 2, 8, 5, 7};
  const auto interval = [&](uint32_t seed) {
    return bootstrap(sample, mean, {.resamples = 50, .seed = seed}).value().interval;
  };
  EXPECT_EQ(interval(3), interval(3));
  EXPECT_FALSE(interval(3) == interval(4));
}

// The mean of 40 exponential numbers: nominal 90 %; the bootstrap of a skewed sample of that size
// is known to fall a few points short.
TEST(Bootstrap, CoversTheTruthAboutAsOftenAsItSays) {
  tensor::PhiloxStream stream(5, tensor::Purpose::kTest, 0);
  constexpr int kRuns = 400;
  for (const auto kind : {BootstrapKind::kPercentile, BootstrapKind::kBca}) {
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      Sample sample(40);
      std::ranges::generate(sample, [&] { return -std::log(1 - stream.uniform()); });
      const auto [low, high] =
          bootstrap(sample, mean, {kind, 0.9, 400, static_cast<uint32_t>(run)}).value().interval;
      covered += low <= 1 && 1 <= high ? 1 : 0;
    }
    EXPECT_GT(covered, kRuns * 0.82);
    EXPECT_LT(covered, kRuns * 0.95);
  }
}

TEST(Bootstrap, OfEqualNumbersIsAPoint) {
  const auto result = bootstrap(Sample(5, 2.0), mean).value();
  EXPECT_EQ(result.interval, (Interval{2, 2}));
}

TEST(Bootstrap, GivesThePercentileIntervalWhereBcaIsUndefined) {
  // The estimate is 0, and every resample's is above.
  const Sample sample = {1, 2, 3, 4};
  const auto outside = [&](std::span<const double> values) {
    return std::ranges::equal(values, sample) ? 0 : mean(values);
  };
  const auto result = bootstrap(sample, outside, {.resamples = 20}).value();
  EXPECT_EQ(result.kind, BootstrapKind::kPercentile);
}

TEST(Bootstrap, RefusesWhatItCannotResample) {
  const Sample good = {1, 2, 3};
  EXPECT_THAT(bootstrap({}, mean), fails_with(HasSubstr("the sample is empty")));
  EXPECT_THAT(bootstrap(Sample{1}, mean), fails_with(HasSubstr("at least 2")));
  EXPECT_THAT(bootstrap(good, Sample{1, std::numeric_limits<double>::infinity()}, ratio),
              fails_with(HasSubstr("number 2 of sample b is inf")));
  EXPECT_THAT(bootstrap(Sample{0, 0, 1}, good, ratio), fails_with(HasSubstr("of a resample is")));
  EXPECT_THAT(bootstrap(good, mean, {.confidence = 0}),
              fails_with(HasSubstr("the confidence is 0")));
  EXPECT_THAT(bootstrap(good, mean, {.resamples = 0}), fails_with(HasSubstr("needs resamples")));
}

}  // namespace
}  // namespace crossbind::stats
