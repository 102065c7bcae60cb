#include "report/spread.h"

#include <algorithm>

#include "stats/summary.h"

namespace crossbind::report {

std::vector<double> thinned(std::span<const double> sorted, size_t most) {
  if (sorted.size() <= most) {
    return {sorted.begin(), sorted.end()};
  }
  std::vector<double> chosen;
  chosen.reserve(most);
  for (size_t i = 0; i < most; ++i) {
    chosen.push_back(sorted[i * (sorted.size() - 1) / (most - 1)]);
  }
  return chosen;
}

Spread spread_of(std::vector<double> values) {
  constexpr double kQuarter = 0.25;
  std::ranges::sort(values);
  return {.n = values.size(),
          .min = values.front(),
          .q1 = stats::quantile_of_sorted(values, kQuarter),
          .median = stats::quantile_of_sorted(values, 2 * kQuarter),
          .q3 = stats::quantile_of_sorted(values, 3 * kQuarter),
          .max = values.back(),
          .dots = thinned(values, kMostDots)};
}

}  // namespace crossbind::report
