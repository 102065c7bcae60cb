#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/input.h"

namespace crossbind::stats {

double mean(std::span<const double> sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

double median_in_place(std::span<double> sample) {
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  if (sample.size() % 2 == 1) {
    return *middle;
  }
  return std::midpoint(*std::max_element(sample.begin(), middle), *middle);
}

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  if (below + 1 >= sorted.size()) {
    return sorted.back();
  }
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

Result<double> median(std::span<const double> sample) {
  CB_TRY(check_finite(sample, "the sample"));
  std::vector<double> scratch(sample.begin(), sample.end());
  return median_in_place(scratch);
}

Result<double> quantile(std::span<const double> sample, double p) {
  CB_TRY(check_finite(sample, "the sample"));
  if (!(p >= 0 && p <= 1)) {
    return fail(ErrorKind::kInvalid, "there is no quantile {}; it must lie in [0, 1]", p);
  }
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  return quantile_of_sorted(sorted, p);
}

}  // namespace crossbind::stats
