#include "stats/distributions.h"

#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <numbers>

namespace crossbind::stats {

double normal_survival(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double student_quantile(double p, int degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

}  // namespace crossbind::stats
