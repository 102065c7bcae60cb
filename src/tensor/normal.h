// The standard normal quantile from + - * / and square root alone, so that every machine computes
// the same bits (a libm logarithm may differ in the last place).
#pragma once

namespace crossbind::tensor {

// Natural logarithm of a positive, normal number, to about 1e-16 relative.
[[nodiscard]] double portable_log(double x);

// Inverse of the standard normal distribution function for 0 < p < 1.
// Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
// Applied Statistics 37 (1988), routine PPND16; relative accuracy about 1e-16.
[[nodiscard]] double normal_quantile(double p);

}  // namespace crossbind::tensor
