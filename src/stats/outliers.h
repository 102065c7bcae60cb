// Numbers that lie far from the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"

namespace crossbind::stats {

// The indices of the numbers whose modified z-score, 0.6745 |x - median| / MAD, is above the
// threshold. Where the MAD is 0, the mean absolute deviation (times 1.253314) stands in for it;
// where that is 0 too all numbers are equal and there are none. Numbers are finite, at least one.
// Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993), 3.3.
[[nodiscard]] Result<std::vector<size_t>> outliers(std::span<const double> sample,
                                                   double threshold = 3.5);

}  // namespace crossbind::stats
