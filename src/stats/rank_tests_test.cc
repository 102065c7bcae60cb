#include "stats/rank_tests.h"

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "stats/fixtures.h"
#include "stats/u_counts.h"
#include "tensor/philox.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Sample = std::vector<double>;

Alternative alternative_named(const std::string& name) {
  return name == "less"      ? Alternative::kLess
         : name == "greater" ? Alternative::kGreater
                             : Alternative::kTwoSided;
}

// n numbers from `first` on, in steps of 1.
Sample ascending(size_t n, double first) {
  Sample sample(n);
  std::iota(sample.begin(), sample.end(), first);
  return sample;
}

double p_of(const Sample& a, const Sample& b, UMethod method = UMethod::kAuto) {
  return mann_whitney(a, b, method).value().p;
}

TEST(MannWhitney, AgreesWithScipy) {
  for (const auto& test : fixtures("mann_whitney")) {
    const auto result = mann_whitney(test["a"].get<Sample>(),
                                     test["b"].get<Sample>(),
                                     u_method_named(test["method"].get<std::string>()).value(),
                                     alternative_named(test["alternative"]));
    ASSERT_THAT(result, testing::is_ok());
    EXPECT_EQ(result->u, test["u"].get<double>()) << test;
    const auto p = test["p"].get<double>();
    EXPECT_NEAR(result->p, p, 1e-12 * p) << test;
  }
}

// The bindings study: 5 against 5, 10 against 5 and 10 against 10, fully separated.
TEST(MannWhitney, GivesTheStudysPValues) {
  EXPECT_NEAR(p_of(ascending(5, 0), ascending(5, 100)), 2.0 / 252, 1e-15);
  EXPECT_NEAR(p_of(ascending(10, 0), ascending(5, 100)), 2.0 / 3003, 1e-15);
  EXPECT_NEAR(p_of(ascending(10, 0), ascending(10, 100)), 0.000183, 5e-7);
}

// Hollander and Wolfe (1973), p. 69, and the airquality data, as R's help for wilcox.test has them.
TEST(MannWhitney, AgreesWithThePublishedExamples) {
  const Sample term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Sample early = {1.15, 0.88, 0.90, 0.74, 1.21};
  const auto permeability =
      mann_whitney(term, early, UMethod::kAuto, Alternative::kGreater).value();
  EXPECT_EQ(permeability.u, 35);
  EXPECT_NEAR(permeability.p, 0.1272, 5e-5);
  EXPECT_EQ(permeability.method, UMethod::kExact);
  const Sample may = {41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,  18,
                      14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37};
  const Sample august = {39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
                         59, 23, 31, 44, 21, 9,  45,  168, 73,  76, 118, 84, 85};
  const auto ozone = mann_whitney(may, august).value();
  EXPECT_EQ(ozone.u, 127.5);
  EXPECT_NEAR(ozone.p, 0.0001208, 5e-8);
  EXPECT_EQ(ozone.method, UMethod::kAsymptotic);
}

TEST(MannWhitney, PrefersTheMethodThatScipyPrefers) {
  EXPECT_EQ(mann_whitney(ascending(8, 0), ascending(50, 0.5)).value().method, UMethod::kExact);
  EXPECT_EQ(mann_whitney(ascending(9, 0), ascending(9, 0.5)).value().method, UMethod::kAsymptotic);
  EXPECT_EQ(mann_whitney(ascending(3, 0), ascending(3, 0)).value().method, UMethod::kAsymptotic);
}

TEST(MannWhitney, ExactWithTiesCountsEveryDivision) {
  const Sample a = {1, 2, 2};
  const Sample b = {2, 3};
  const auto exact = mann_whitney(a, b, UMethod::kExact).value();
  EXPECT_EQ(exact.method, UMethod::kPermutation);
  // Of the ten ways to choose b's two of {1, 2, 2, 2, 3}, U of a is 1 in three and never less.
  EXPECT_NEAR(exact.p, 2 * 0.3, 1e-15);
}

TEST(MannWhitney, WithoutTiesPermutationAndExactAreOne) {
  const Sample a = {3, 7, 1, 12, 5, 9.5};
  const Sample b = {4, 8, 15, 16, 23};
  EXPECT_NEAR(p_of(a, b, UMethod::kPermutation), p_of(a, b, UMethod::kExact), 1e-14);
}

TEST(MannWhitney, EqualNumbersDifferInNothing) {
  for (const auto method : {UMethod::kAuto, UMethod::kExact, UMethod::kAsymptotic}) {
    const auto result = mann_whitney(Sample(6, 2.0), Sample(4, 2.0), method).value();
    EXPECT_EQ(result.p, 1);
    EXPECT_EQ(result.u, 12);
  }
}

TEST(MannWhitney, InfinitiesHaveARank) {
  EXPECT_EQ(p_of({-kInfinity, 1, 2}, {3, 4, kInfinity}), p_of({0, 1, 2}, {3, 4, 5}));
}

TEST(MannWhitney, RefusesWhatHasNoRank) {
  EXPECT_THAT(mann_whitney({}, Sample{1}), fails_with(HasSubstr("sample a is empty")));
  EXPECT_THAT(mann_whitney(Sample{1}, {}), fails_with(HasSubstr("sample b is empty")));
  EXPECT_THAT(mann_whitney(Sample{1}, Sample{2, kNan}),
              fails_with(HasSubstr("number 2 of sample b is not a number")));
  EXPECT_THAT(mann_whitney(ascending(150, 0), ascending(150, 0), UMethod::kPermutation),
              fails_with(HasSubstr("150 against 150 numbers are too many for the permutation")));
  EXPECT_THAT(mann_whitney(ascending(700, 0), ascending(700, 0.5), UMethod::kExact),
              fails_with(HasSubstr("too many for the exact method")));
  EXPECT_EQ(p_of({1}, {2}), 1);
}

RC_GTEST_PROP(MannWhitney, IsSymmetricInItsSamples, ()) {
  const auto numbers = rc::gen::nonEmpty(rc::gen::container<Sample>(
      rc::gen::map(rc::gen::inRange(-20, 20), [](int i) { return static_cast<double>(i); })));
  const Sample a = *numbers;
  const Sample b = *numbers;
  for (const auto method : {UMethod::kAuto, UMethod::kAsymptotic, UMethod::kExact}) {
    if (a.size() + b.size() > 60) {
      continue;  // counting takes long under the sanitizers
    }
    const auto there = mann_whitney(a, b, method).value();
    const auto back = mann_whitney(b, a, method).value();
    RC_ASSERT(there.u + back.u == static_cast<double>(a.size() * b.size()));
    RC_ASSERT(std::fabs(there.p - back.p) <= 1e-13);
  }
}

RC_GTEST_PROP(MannWhitney, DoesNotChangeUnderAscendingMaps, ()) {
  const auto numbers = rc::gen::nonEmpty(rc::gen::container<Sample>(
      rc::gen::map(rc::gen::inRange(-20, 20), [](int i) { return static_cast<double>(i); })));
  const Sample a = *numbers;
  const Sample b = *numbers;
  const auto mapped = [](Sample sample) {
    for (double& value : sample) {
      value = std::exp(value / 3) - 5;
    }
    return sample;
  };
  RC_ASSERT(p_of(a, b) == p_of(mapped(a), mapped(b)));
}

// With no difference every p is as likely as its size: P(p <= alpha) <= alpha, and not far below.
TEST(MannWhitney, PIsUniformWhenNothingDiffers) {
  tensor::PhiloxStream stream(3, tensor::Purpose::kTest, 0);
  constexpr int kRuns = 4000;
  for (const size_t n : {8, 30}) {
    std::array<int, 3> at_most{};
    constexpr std::array kLevels = {0.05, 0.2, 0.5};
    for (int run = 0; run < kRuns; ++run) {
      Sample a(n);
      Sample b(n);
      std::ranges::generate(a, [&] { return stream.normal(); });
      std::ranges::generate(b, [&] { return stream.normal(); });
      const double p = p_of(a, b);
      for (size_t i = 0; i < kLevels.size(); ++i) {
        at_most[i] += p <= kLevels[i] ? 1 : 0;
      }
    }
    for (size_t i = 0; i < kLevels.size(); ++i) {
      const double sigma = std::sqrt(kLevels[i] * (1 - kLevels[i]) / kRuns);
      const double share = static_cast<double>(at_most[i]) / kRuns;
      EXPECT_LT(share, kLevels[i] + 4 * sigma);
      EXPECT_GT(share, kLevels[i] * 0.85 - 4 * sigma);  // n = 8 has steps of p, the largest 13 %
    }
  }
}

TEST(ExactU, IsTheCountOfAllDivisions) {
  // 3 against 2: U of the ten divisions is 0 1 2 2 3 3 4 4 5 6.
  const std::array expected = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0};
  for (uint64_t u = 0; u < expected.size(); ++u) {
    EXPECT_NEAR(exact_u_at_most(u, 3, 2), expected[u], 1e-15);
    EXPECT_NEAR(exact_u_at_most(u, 2, 3), expected[u], 1e-15);
  }
}

TEST(ExactU, NearsTheNormalDistributionForLargeSamples) {
  const double exact = p_of(ascending(300, 0), ascending(300, 20.5), UMethod::kExact);
  const double asymptotic = p_of(ascending(300, 0), ascending(300, 20.5), UMethod::kAsymptotic);
  EXPECT_NEAR(exact, asymptotic, 0.02 * asymptotic);  // they are 1 % apart
}

TEST(SmallestP, IsThatOfSeparatedSamples) {
  for (const auto method : {UMethod::kAuto, UMethod::kExact, UMethod::kAsymptotic}) {
    for (const size_t n : {1, 4, 8, 9, 20}) {
      EXPECT_EQ(smallest_p(n, 7, method).value(), p_of(ascending(n, 0), ascending(7, 100), method));
    }
  }
  EXPECT_THAT(smallest_p(0, 3), fails_with(HasSubstr("empty sample")));
}

TEST(SmallestN, IsWhereAlphaComesWithinReach) {
  EXPECT_EQ(smallest_n(0.05).value(), 4U);      // 2 / 70; 3 against 3 gives 0.1
  EXPECT_EQ(smallest_n(0.05 / 3).value(), 5U);  // Bonferroni for three comparisons
  EXPECT_EQ(smallest_n(0.01).value(), 5U);
  EXPECT_GT(smallest_p(3, 3).value(), 0.05);
  // A tie of alpha and p is enough.
  EXPECT_EQ(smallest_n(smallest_p(6, 6).value()).value(), 6U);
  EXPECT_THAT(smallest_n(0), fails_with(HasSubstr("alpha is 0")));
  EXPECT_THAT(smallest_n(kNan), fails_with(HasSubstr("between 0 and 1")));
  EXPECT_THAT(smallest_n(1e-300), testing::is_ok());
}

}  // namespace
}  // namespace crossbind::stats
