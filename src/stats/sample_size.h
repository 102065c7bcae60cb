// How many samples a test needs to find what is there.
#pragma once

#include <cstddef>

#include "base/error.h"

namespace crossbind::stats {

// Numbers each of two equally large samples, for Mann and Whitney's one-sided test at level alpha
// to find a difference with probability `power`, where a number of the one is larger than one of
// the other with probability `larger` (above 1/2; see vargha_delaney). An approximation, as rough
// as `larger` is known. Noether, "Sample size determination for some common nonparametric tests",
// Journal of the American Statistical Association 82 (1987).
[[nodiscard]] Result<size_t> samples_for(double larger, double alpha, double power = 0.8);

}  // namespace crossbind::stats
