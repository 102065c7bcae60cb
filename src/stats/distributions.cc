#include "stats/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crossbind::stats {
namespace {

// P(|T| <= t).
double student_inside(double t, int degrees_of_freedom) {
  const double angle = std::atan(t / std::sqrt(degrees_of_freedom));
  const double cosine = std::cos(angle);
  const bool odd = degrees_of_freedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (int k = odd ? 1 : 0; k < degrees_of_freedom - 1; k += 2) {
    sum += term;
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  sum *= std::sin(angle);
  return odd ? (angle + sum) * 2 / std::numbers::pi : sum;
}

}  // namespace

double normal_survival(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double chi_squared_survival(double x, int degrees_of_freedom) {
  if (x <= 0) {
    return 1;
  }
  const double half = x / 2;
  const bool odd = degrees_of_freedom % 2 == 1;
  double sum = odd ? std::erfc(std::sqrt(half)) : 0;
  // Each term by its logarithm: with many degrees of freedom exp(-half) alone would vanish.
  for (int term = 0; term < degrees_of_freedom / 2; ++term) {
    const double power = term + (odd ? 0.5 : 0);
    sum += std::exp(power * std::log(half) - half - std::lgamma(power + 1));
  }
  return std::min(sum, 1.0);
}

double student_quantile(double p, int degrees_of_freedom) {
  const double inside = 2 * p - 1;
  double low = 0;
  double high = 1;
  while (student_inside(high, degrees_of_freedom) < inside) {
    high *= 2;
  }
  for (double middle = high / 2; low < middle && middle < high; middle = (low + high) / 2) {
    (student_inside(middle, degrees_of_freedom) < inside ? low : high) = middle;
  }
  return high;
}

}  // namespace crossbind::stats
