// How far two samples are apart, whatever the number of samples. Only Hodges and Lehmann's shift
// needs finite numbers; the others need an order, which NaN has not.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "stats/interval.h"

namespace crossbind::stats {

// P(a > b) - P(a < b) over all pairs, in [-1, 1]: Cliff, "Dominance statistics: ordinal analyses to
// answer ordinal questions", Psychological Bulletin 114 (1993).
[[nodiscard]] Result<double> cliffs_delta(std::span<const double> a, std::span<const double> b);

enum class Magnitude { kNegligible, kSmall, kMedium, kLarge };

[[nodiscard]] std::string_view to_string(Magnitude magnitude);

// |delta| <= 0.147 negligible, <= 0.33 small, <= 0.474 medium, else large: Romano, Kromrey,
// Coraggio and Skowronek, "Appropriate statistics for ordinal level data" (Florida Association of
// Institutional Research, 2006).
[[nodiscard]] Magnitude magnitude_of(double cliffs_delta);

// The asymmetric interval from Student's t and the unbiased variance, never below its smallest
// allowable value; for samples that do not overlap, equation 8. Feng and Cliff, "Monte Carlo
// evaluation of ordinal d with improved confidence interval", Journal of Modern Applied Statistical
// Methods 3 (2004). Two numbers a sample at least.
[[nodiscard]] Result<Interval> cliffs_delta_interval(std::span<const double> a,
                                                     std::span<const double> b,
                                                     double confidence = 0.95);

// P(a > b) + P(a = b) / 2, in [0, 1]: Vargha and Delaney, "A critique and improvement of the CL
// common language effect size statistics of McGraw and Wong", Journal of Educational and Behavioral
// Statistics 25 (2000).
[[nodiscard]] Result<double> vargha_delaney(std::span<const double> a, std::span<const double> b);

// The median of all differences a - b: Hodges and Lehmann, "Estimates of location based on rank
// tests", Annals of Mathematical Statistics 34 (1963).
[[nodiscard]] Result<double> hodges_lehmann(std::span<const double> a, std::span<const double> b);

}  // namespace crossbind::stats
