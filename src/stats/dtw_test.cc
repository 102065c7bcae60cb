#include "stats/dtw.h"

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Curve = std::vector<double>;

// The definition, cell by cell.
double by_definition(const Curve& a, const Curve& b, const DtwOptions& options) {
  std::vector<Curve> total(a.size() + 1, Curve(b.size() + 1, kInfinity));
  total[0][0] = 0;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      if (options.band && std::max(i, j) - std::min(i, j) > *options.band) {
        continue;
      }
      const double difference = a[i - 1] - b[j - 1];
      const double cost =
          options.cost == PointCost::kAbsolute ? std::fabs(difference) : difference * difference;
      total[i][j] = cost + std::min({total[i - 1][j], total[i][j - 1], total[i - 1][j - 1]});
    }
  }
  return total.back().back();
}

Curve some_curve() {
  return *rc::gen::nonEmpty(rc::gen::container<Curve>(
      rc::gen::map(rc::gen::inRange(-100, 100), [](int i) { return i / 7.0; })));
}

TEST(Dtw, AgreesWithTheFastdtwAndDtaidistancePackages) {
  for (const auto& test : fixtures("warpings")) {
    const auto a = test["a"].get<Curve>();
    const auto b = test["b"].get<Curve>();
    EXPECT_EQ(dtw(a, b).value().distance, test["absolute"].get<double>());
    EXPECT_NEAR(dtw(a, b, {.cost = PointCost::kSquared}).value().distance,
                test["squared"].get<double>(),
                kTolerance);
    for (const auto& [band, distance] : test["bands"].items()) {
      EXPECT_NEAR(dtw(a, b, {.band = std::stoul(band)}).value().distance,
                  distance.get<double>(),
                  kTolerance)
          << "band " << band << " of " << a.size();
    }
  }
}

TEST(FastDtw, IsTheFastdtwPackageToTheLastBit) {
  for (const auto& test : fixtures("warpings")) {
    const auto a = test["a"].get<Curve>();
    const auto b = test["b"].get<Curve>();
    for (const auto& [radius, distance] : test["fastdtw"].items()) {
      EXPECT_EQ(fastdtw(a, b, std::stoul(radius)).value().distance, distance.get<double>())
          << "radius " << radius << ", " << a.size() << " against " << b.size() << " points";
    }
  }
}

// The example in the package's documentation.
TEST(FastDtw, AgreesWithThePublishedExample) {
  EXPECT_EQ(fastdtw(Curve{1, 2, 3, 4, 5}, Curve{2, 3, 4}).value().distance, 2);
}

TEST(Dtw, IsNormalisedByTheLongerCurve) {
  const Curve a = {0, 0, 0, 0};
  const Curve b = {1, 1};
  EXPECT_EQ(dtw(a, b).value().distance, 4);
  EXPECT_EQ(dtw(a, b).value().normalised, 1);
  EXPECT_EQ(fastdtw(b, a).value().normalised, 1);
  EXPECT_EQ(dtw(Curve{3}, Curve{5.5}).value().distance, 2.5);
}

TEST(Dtw, RefusesWhatIsNoCurve) {
  const Curve good = {1, 2, 3};
  EXPECT_THAT(dtw({}, good), fails_with(HasSubstr("curve a is empty")));
  EXPECT_THAT(fastdtw(good, {}), fails_with(HasSubstr("curve b is empty")));
  EXPECT_THAT(dtw(good, Curve{kNan}), fails_with(HasSubstr("number 1 of curve b is nan")));
  EXPECT_THAT(fastdtw(Curve{1, -kInfinity}, good), fails_with(HasSubstr("-inf")));
  EXPECT_THAT(fastdtw(good, good, 0), fails_with(HasSubstr("radius must be at least 1")));
  EXPECT_THAT(dtw(good, Curve{1}, {.band = 1}),
              fails_with(HasSubstr("a band of 1 does not join curves of 3 and 1 points")));
}

RC_GTEST_PROP(Dtw, IsItsDefinition, ()) {
  const Curve a = some_curve();
  const Curve b = some_curve();
  const size_t gap = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  for (const auto cost : {PointCost::kAbsolute, PointCost::kSquared}) {
    for (const auto band :
         {std::optional<size_t>(), std::optional<size_t>(gap + *rc::gen::inRange(0, 5))}) {
      const DtwOptions options = {cost, band};
      RC_ASSERT(dtw(a, b, options).value().distance == by_definition(a, b, options));
    }
  }
}

RC_GTEST_PROP(Dtw, IsSymmetricAndZeroForACurveAndItself, ()) {
  const Curve a = some_curve();
  const Curve b = some_curve();
  const double there = dtw(a, b).value().distance;
  RC_ASSERT(std::fabs(there - dtw(b, a).value().distance) <= 1e-12 * (1 + there));
  RC_ASSERT(dtw(a, a).value().distance == 0);
  RC_ASSERT(fastdtw(a, a).value().distance == 0);
}

RC_GTEST_PROP(FastDtw, IsNeverBelowTheExactDistanceAndEqualsItWithAWideRadius, ()) {
  const Curve a = some_curve();
  const Curve b = some_curve();
  const double exact = dtw(a, b).value().distance;
  RC_ASSERT(fastdtw(a, b).value().distance >= exact);
  RC_ASSERT(fastdtw(a, b, a.size() + b.size()).value().distance == exact);
}

}  // namespace
}  // namespace crossbind::stats
