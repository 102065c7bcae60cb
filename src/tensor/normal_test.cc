#include "tensor/normal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace crossbind::tensor {
namespace {

TEST(PortableLog, AgreesWithTheLibraryToTheLastPlaces) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::fabs(std::log(x)));
  }
  EXPECT_EQ(portable_log(1.0), 0.0);
}

// The check values printed with Algorithm AS 241.
TEST(NormalQuantile, MatchesThePublishedValues) {
  EXPECT_NEAR(normal_quantile(0.25), -0.6744897501960817, 1e-15);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167814, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-14);
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
  for (double p = 0.0005; p < 1; p += 0.0005) {
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 1e-15);
  }
}

}  // namespace
}  // namespace crossbind::tensor
