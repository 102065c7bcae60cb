#include "stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crossbind::stats {

double normal_survival(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double student_quantile(double p, int degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

double binomial_two_sided(int64_t count, int64_t trials, double p) {
  const boost::math::binomial distribution(static_cast<double>(trials), p);
  const auto k = static_cast<double>(count);
  const double below = boost::math::cdf(distribution, k);
  const double above =
      count == 0 ? 1 : boost::math::cdf(boost::math::complement(distribution, k - 1));
  return std::min(1.0, 2 * std::min(below, above));
}

}  // namespace crossbind::stats
