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

// Hochberg's correction has Holm's thresholds, from the largest p down, so that it rejects at least
// as much: where all p are at most alpha it rejects all. For tests that are independent or depend
// positively on each other. Hochberg, "A sharper Bonferroni procedure for multiple tests of
// significance", Biometrika 75 (1988).
[[nodiscard]] Result<std::vector<double>> hochberg(std::span<const double> p);

}  // namespace crossbind::stats
