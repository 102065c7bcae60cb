// The routines that R has too, held against it.
#include "stats/corrections.h"
#include "stats/fixtures.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace crossbind::stats {
namespace {

using Numbers = std::vector<double>;

TEST(AgainstR, WilcoxonsRankSumIsMannWhitneysU) {
  for (const auto& test : r_fixtures("wilcoxon")) {
    const auto method = u_method_named(test["method"].get<std::string>());
    const auto result =
        mann_whitney(test["a"].get<Numbers>(), test["b"].get<Numbers>(), method.value());
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->u, test["u"]) << test;
    EXPECT_NEAR(result->p, test["p"], kTolerance) << test;
  }
}

TEST(AgainstR, AdjustedPValues) {
  const auto expect_near = [](const Result<Numbers>& came, const Numbers& expected) {
    ASSERT_EQ(came.value().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR((*came)[i], expected[i], kTolerance);
    }
  };
  for (const auto& test : r_fixtures("corrections")) {
    const auto p = test["p"].get<Numbers>();
    expect_near(bonferroni(p), test["bonferroni"].get<Numbers>());
    expect_near(holm(p), test["holm"].get<Numbers>());
    expect_near(hochberg(p), test["hochberg"].get<Numbers>());
  }
}

TEST(AgainstR, MediansAndQuantiles) {
  for (const auto& test : r_fixtures("spreads")) {
    const auto sample = test["sample"].get<Numbers>();
    EXPECT_THAT(median(sample), is_close_to(test["median"].get<double>()));
    EXPECT_THAT(quantile(sample, 0.1), is_close_to(test["quantile_10"].get<double>()));
    EXPECT_THAT(quantile(sample, 0.9), is_close_to(test["quantile_90"].get<double>()));
  }
}

}  // namespace
}  // namespace crossbind::stats
