// Tails of the distributions that test statistics have when nothing differs.
#pragma once

namespace crossbind::stats {

// P(Z > z) of the standard normal distribution.
[[nodiscard]] double normal_survival(double z);

// P(X > x) of the chi-squared distribution with a whole number of degrees of freedom, by its finite
// sum: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4 and 26.4.5.
[[nodiscard]] double chi_squared_survival(double x, int degrees_of_freedom);

// The t with P(T <= t) = p of Student's distribution with a whole number of degrees of freedom,
// 1/2 <= p < 1: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4, inverted by halving.
[[nodiscard]] double student_quantile(double p, int degrees_of_freedom);

}  // namespace crossbind::stats
