// How far two samples are apart, whatever the number of samples. They need an order, which NaN has
// not.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

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

// P(a > b) + P(a = b) / 2, in [0, 1]: Vargha and Delaney, "A critique and improvement of the CL
// common language effect size statistics of McGraw and Wong", Journal of Educational and Behavioral
// Statistics 25 (2000).
[[nodiscard]] Result<double> vargha_delaney(std::span<const double> a, std::span<const double> b);

}  // namespace crossbind::stats
