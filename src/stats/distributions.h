// Tails of the distributions that test statistics have when nothing differs: those of the C library
// and of Boost.Math, whose headers take seconds to compile and are included in distributions.cc
// alone.
#pragma once

#include <cstdint>

namespace crossbind::stats {

// P(Z > z) of the standard normal distribution.
[[nodiscard]] double normal_survival(double z);

// The t with P(T <= t) = p of Student's distribution; 0 < p < 1, at least one degree of freedom.
[[nodiscard]] double student_quantile(double p, int degrees_of_freedom);

// The exact binomial test: the probability of a count at least as far out as this one when each of
// `trials` succeeds with probability p, as twice the smaller tail, at most 1.
[[nodiscard]] double binomial_two_sided(int64_t count, int64_t trials, double p);

}  // namespace crossbind::stats
