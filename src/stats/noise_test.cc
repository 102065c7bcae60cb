#include "stats/noise.h"

#include <cmath>
#include <numeric>

#include "tensor/philox.h"
#include "testing/testing.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Sample = std::vector<double>;

// Student's t against the normal distribution, both at 0.975, from tables: what the spread of so
// few numbers may be wrong by.
constexpr double kDoubtOfTwo = 12.7062 / 1.95996;
constexpr double kDoubtOfThree = 4.30265 / 1.95996;
constexpr double kDigits = 1e-4;  // of these

// One deal: 1 against 2. Halves of one number, compared as samples of one.
TEST(Noise, OfTwoNumbersIsThatBetweenThem) {
  EXPECT_NEAR(noise_of_difference(Sample{1, 2}, 1, 1).value().value(), kDoubtOfTwo, kDigits);
  EXPECT_NEAR(std::log(noise_of_ratio(Sample{1, 2}, 1, 1).value().value()),
              kDoubtOfTwo * std::log(2),
              kDigits);
}

// Three deals of 1, 2 and 4: 1 | 3, 2 | 2.5 and 4 | 1.5, apart by 2, 0.5 and 2.5; 95 of 100 are a
// tenth below the largest of the three, on the way to the next. Halves are of one and two numbers.
TEST(Noise, IsWhatNearlyAllDealsStayWithin) {
  const double within = 2.5 - 0.1 * 0.5;
  EXPECT_NEAR(
      noise_of_difference(Sample{1, 2, 4}, 1, 2).value().value(), within * kDoubtOfThree, kDigits);
}

TEST(Noise, ShrinksWithTheSamplesThatAreCompared) {
  const Sample sample = {1, 2, 4};
  const double few = noise_of_difference(sample, 1, 2).value().value();
  EXPECT_NEAR(noise_of_difference(sample, 4, 8).value().value(), few / 2, 1e-12);
  const double ratio = noise_of_ratio(sample, 1, 2).value().value();
  EXPECT_NEAR(noise_of_ratio(sample, 4, 8).value().value(), std::sqrt(ratio), 1e-12);
}

TEST(Noise, OfEqualNumbersIsNone) {
  EXPECT_EQ(noise_of_ratio(Sample(12, 3.5), 12, 12).value(), 1);
  EXPECT_EQ(noise_of_difference(Sample(5, 3.5), 5, 5).value(), 0);
}

TEST(Noise, OfOneNumberIsUnknown) {
  EXPECT_EQ(noise_of_ratio(Sample{1}, 1, 1).value(), std::nullopt);
  EXPECT_EQ(noise_of_difference(Sample{1}, 1, 1).value(), std::nullopt);
  EXPECT_EQ(noise_of_ratio(Sample{0, 1}, 2, 2).value(), std::nullopt);  // no ratio to 0
}

TEST(Noise, OfTwoSamplesIsTheLarger) {
  const Sample quiet = {1, 1, 1, 1};
  const Sample loud = {1, 2, 3, 4};
  EXPECT_EQ(noise_of_ratio(quiet, loud).value(), noise_of_ratio(loud, 4, 4).value());
  EXPECT_EQ(noise_of_difference(loud, quiet).value(), noise_of_difference(loud, 4, 4).value());
  EXPECT_EQ(noise_of_difference(Sample{7}, loud).value(), noise_of_difference(loud, 1, 4).value());
  EXPECT_EQ(noise_of_difference(Sample{7}, Sample{8}).value(), std::nullopt);
}

TEST(Noise, RefusesWhatHasNone) {
  EXPECT_THAT(noise_of_ratio(Sample{}, 1, 1), fails_with(HasSubstr("is empty")));
  EXPECT_THAT(noise_of_ratio(Sample{1, NAN}, 1, 1), fails_with(HasSubstr("nan")));
  EXPECT_THAT(noise_of_ratio(Sample{1, 2}, 0, 1), fails_with(HasSubstr("samples of 0 and 1")));
}

TEST(Noise, LiesBetweenWhatIsADifferenceAndWhatIsNone) {
  EXPECT_TRUE(is_above_noise(1.2, 1.1));
  EXPECT_TRUE(is_above_noise(0.8, 1.1));
  EXPECT_FALSE(is_above_noise(1.05, 1.1));
  EXPECT_FALSE(is_above_noise(0.95, 1.1));
  EXPECT_FALSE(is_above_noise(1.2, std::nullopt));
  EXPECT_FALSE(is_above_noise(std::nullopt, 1.1));
}

Sample drawn(size_t count, tensor::PhiloxStream& stream) {
  Sample sample(count);
  for (double& value : sample) {
    value = 100 + stream.normal();
  }
  return sample;
}

// What it is for: two samples of one population exceed the floor once in 20 times at most, and
// sometimes do: it is not out of reach either.
class NoiseRateTest : public ::testing::TestWithParam<size_t> {};

TEST_P(NoiseRateTest, IsExceededByChanceAsSeldomAsItSays) {
  const size_t count = GetParam();
  constexpr int kPairs = 2000;
  tensor::PhiloxStream stream(7, tensor::Purpose::kTest, static_cast<uint32_t>(count));
  int above = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Sample a = drawn(count, stream);
    const Sample b = drawn(count, stream);
    const auto mean = [](const Sample& sample) {
      return std::accumulate(sample.begin(), sample.end(), 0.0) /
             static_cast<double>(sample.size());
    };
    above += std::abs(mean(a) - mean(b)) > noise_of_difference(a, b).value().value() ? 1 : 0;
  }
  EXPECT_LE(above, 0.05 * kPairs);
  EXPECT_GE(above, 0.01 * kPairs);
}

INSTANTIATE_TEST_SUITE_P(OfSizes, NoiseRateTest, ::testing::Values(2, 3, 5, 10, 40));

}  // namespace
}  // namespace crossbind::stats
