// p-values corrected for being many. Each function gives the adjusted p-values in the order of the
// input: reject where one is at most alpha. None for none; a p outside [0, 1] is an error.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"

namespace crossbind::stats {

// Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56
// (1961).
[[nodiscard]] Result<std::vector<double>> bonferroni(std::span<const double> p);

// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
// Statistics 6 (1979).
[[nodiscard]] Result<std::vector<double>> holm(std::span<const double> p);

// The false discovery rate: Benjamini and Hochberg, "Controlling the false discovery rate", Journal
// of the Royal Statistical Society B 57 (1995).
[[nodiscard]] Result<std::vector<double>> benjamini_hochberg(std::span<const double> p);

}  // namespace crossbind::stats
