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

}  // namespace
}  // namespace crossbind::stats
