#include "stats/distributions.h"

#include <cmath>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

TEST(Student, AgreesWithScipy) {
  for (const auto& test : fixtures("student")) {
    const auto expected = test["t"].get<double>();
    EXPECT_NEAR(student_quantile(test["p"], test["degrees"]), expected, 1e-12 * (1 + expected))
        << test;
  }
}

// Abramowitz and Stegun, table 26.2: Q(1.96) and Q(4).
TEST(Normal, AgreesWithTheTables) {
  EXPECT_NEAR(normal_survival(1.96), 0.02499789514822, 1e-14);
  EXPECT_NEAR(normal_survival(4), 3.167124183e-5, 1e-14);
  EXPECT_NEAR(normal_survival(-1.96) + normal_survival(1.96), 1, 1e-15);
}

// Expected values: sums of exact fractions.
TEST(Binomial, IsTwiceTheSmallerTail) {
  struct Case {
    int64_t count, trials;
    double p, expected;
  };
  for (const auto& [count, trials, p, expected] : {Case{3, 10, 0.5, 0.34375},
                                                   Case{0, 64, 0.25, 2.0181379666318695e-08},
                                                   Case{64, 64, 0.625, 1.727233711018889e-13},
                                                   Case{250, 1000, 0.25, 1.0},
                                                   Case{300, 1000, 0.25, 0.0003871806438981579},
                                                   Case{5, 5, 0.1, 2e-05}}) {
    EXPECT_NEAR(binomial_two_sided(count, trials, p), expected, 1e-12 * expected) << count;
  }
}

}  // namespace
}  // namespace crossbind::stats
