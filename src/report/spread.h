// Samples in five numbers and a bounded number of dots.
#pragma once

#include <span>
#include <vector>

#include "report/report.h"

namespace crossbind::report {

inline constexpr size_t kMostDots = 200;

// The spread of at least one finite number.
[[nodiscard]] Spread spread_of(std::vector<double> values);

// At most `most` of numbers in ascending order: the first, the last, and evenly between.
[[nodiscard]] std::vector<double> thinned(std::span<const double> sorted, size_t most);

}  // namespace crossbind::report
