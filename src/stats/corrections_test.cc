#include "stats/corrections.h"

#include <rapidcheck/gtest.h>

#include <limits>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using P = std::vector<double>;

void expect_near(const Result<P>& actual, const P& expected) {
  ASSERT_EQ(actual.value().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR((*actual)[i], expected[i], kTolerance);
  }
}

TEST(Corrections, AgreeWithStatsmodels) {
  for (const auto& test : fixtures("corrections")) {
    const auto p = test["p"].get<P>();
    expect_near(bonferroni(p), test["bonferroni"].get<P>());
    expect_near(holm(p), test["holm"].get<P>());
  }
}

// Benjamini and Hochberg (1995), 4.1: fifteen tests, of which Bonferroni rejects three.
TEST(Corrections, RejectWhatThePublishedExampleRejects) {
  const P p = {0.0001,
               0.0004,
               0.0019,
               0.0095,
               0.0201,
               0.0278,
               0.0298,
               0.0344,
               0.0459,
               0.3240,
               0.4262,
               0.5719,
               0.6528,
               0.7590,
               1.0000};
  const auto rejected = [](const Result<P>& adjusted) {
    return std::ranges::count_if(adjusted.value(), [](double value) { return value <= 0.05; });
  };
  EXPECT_EQ(rejected(bonferroni(p)), 3);
  EXPECT_EQ(rejected(holm(p)), 3);
  EXPECT_EQ(rejected(hochberg(p)), 3);
}

TEST(Corrections, HochbergRejectsAllWhereAllAreAtMostAlpha) {
  expect_near(hochberg(P(24, 0.004)), P(24, 0.004));
  expect_near(hochberg(P{0.004, 0.5, 0.5}), {0.012, 0.5, 0.5});
}

TEST(Corrections, GiveNoneForNoneAndRefuseWhatIsNoProbability) {
  for (const auto correct : {bonferroni, holm, hochberg}) {
    EXPECT_THAT(correct({}).value(), ::testing::IsEmpty());
    EXPECT_EQ(correct(P{0.03}).value(), P{0.03});
    EXPECT_THAT(correct(P{0.1, 1.1}), fails_with(HasSubstr("p-value 2 is 1.1")));
    EXPECT_THAT(correct(P{std::numeric_limits<double>::quiet_NaN()}), fails_with(HasSubstr("nan")));
  }
}

RC_GTEST_PROP(Corrections, AreOrderedFromHochbergToBonferroni, ()) {
  const P p = *rc::gen::container<P>(
      rc::gen::map(rc::gen::inRange(0, 1001), [](int i) { return i / 1000.0; }));
  const auto strict = bonferroni(p).value();
  const auto sequential = holm(p).value();
  const auto upward = hochberg(p).value();
  for (size_t i = 0; i < p.size(); ++i) {
    RC_ASSERT(p[i] <= upward[i]);
    RC_ASSERT(upward[i] <= sequential[i] + 1e-15);
    RC_ASSERT(sequential[i] <= strict[i]);
  }
}

}  // namespace
}  // namespace crossbind::stats
