#include "stats/outliers.h"

#include <cmath>

#include "stats/summary.h"

namespace crossbind::stats {

Result<std::vector<size_t>> outliers(std::span<const double> sample, double threshold) {
  if (!(threshold > 0)) {
    return fail(ErrorKind::kInvalid, "the threshold is {}; it must be above 0", threshold);
  }
  CB_ASSIGN(const double center, median(sample));
  CB_ASSIGN(const double deviation, median_absolute_deviation(sample));
  double mean_deviation = 0;
  for (const double value : sample) {
    mean_deviation += std::fabs(value - center) / static_cast<double>(sample.size());
  }
  const double scale = deviation > 0 ? deviation / 0.6745 : 1.253314 * mean_deviation;
  std::vector<size_t> found;
  for (size_t i = 0; i < sample.size(); ++i) {
    if (std::fabs(sample[i] - center) > threshold * scale) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace crossbind::stats
