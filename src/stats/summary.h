// A sample in one number: quantiles and the median. All numbers must be finite.
#pragma once

#include <span>

#include "base/error.h"

namespace crossbind::stats {

// The mean of at least one number.
[[nodiscard]] double mean(std::span<const double> sample);

// The middle number, or the mean of the two in the middle.
[[nodiscard]] Result<double> median(std::span<const double> sample);

// Linear between order statistics: Hyndman and Fan, "Sample quantiles in statistical packages",
// The American Statistician 50 (1996), definition 7, as numpy and R have it. 0 <= p <= 1.
[[nodiscard]] Result<double> quantile(std::span<const double> sample, double p);

// The median of finite numbers that may be put into another order; there is at least one.
[[nodiscard]] double median_in_place(std::span<double> sample);

// The quantile of finite numbers in ascending order; there is at least one.
[[nodiscard]] double quantile_of_sorted(std::span<const double> sorted, double p);

}  // namespace crossbind::stats
