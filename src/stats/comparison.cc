#include "stats/comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/input.h"
#include "stats/noise.h"
#include "stats/summary.h"
#include "tensor/normal.h"

namespace crossbind::stats {
namespace {

// The standard error of the logarithm of a median, from the order statistics that bound it.
std::optional<double> error_of_log_median(std::span<const double> sample) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n)));
  const double z =
      (n + 1 - 2 * rank) / std::sqrt(n);  // how many standard errors off these ranks are
  const auto below = static_cast<size_t>(rank) - 1;
  const double low = sorted[below];
  const double high = sorted[sorted.size() - 1 - below];
  return low > 0 && z > 0 ? std::optional((std::log(high) - std::log(low)) / (2 * z))
                          : std::nullopt;
}

std::optional<Interval> large_ratio_interval(std::span<const double> a,
                                             std::span<const double> b,
                                             double ratio,
                                             double confidence) {
  const auto error_a = error_of_log_median(a);
  const auto error_b = error_of_log_median(b);
  if (!error_a || !error_b) {
    return std::nullopt;
  }
  const double z = tensor::normal_quantile(1 - (1 - confidence) / 2);
  const double factor = std::exp(z * std::hypot(*error_a, *error_b));
  return Interval{ratio / factor, ratio * factor};
}

std::optional<Interval> ratio_interval(std::span<const double> a,
                                       std::span<const double> b,
                                       const ComparisonOptions& options) {
  std::vector<double> scratch;
  const auto median_of = [&](std::span<const double> sample) {
    scratch.assign(sample.begin(), sample.end());
    return median_in_place(scratch);
  };
  const auto ratio = [&](std::span<const double> resample_a, std::span<const double> resample_b) {
    return median_of(resample_b) / median_of(resample_a);
  };
  const auto found = bootstrap(a,
                               b,
                               ratio,
                               {.kind = BootstrapKind::kPercentile,
                                .confidence = options.confidence,
                                .resamples = options.resamples,
                                .seed = options.seed});
  return found ? std::optional(found->interval) : std::nullopt;
}

}  // namespace

Result<Comparison> compare(std::span<const double> a,
                           std::span<const double> b,
                           const ComparisonOptions& options) {
  CB_TRY(check_finite(a, "sample a"));
  CB_TRY(check_finite(b, "sample b"));
  CB_TRY(check_probability(options.confidence, "the confidence"));
  Comparison result;
  result.n_a = a.size();
  result.n_b = b.size();
  CB_ASSIGN(result.median_a, median(a));
  CB_ASSIGN(result.median_b, median(b));
  CB_ASSIGN(result.test, mann_whitney(a, b, options.method));
  CB_ASSIGN(result.smallest_p, smallest_p(a.size(), b.size(), options.method));
  CB_ASSIGN(result.cliffs_delta, cliffs_delta(a, b));
  result.effect = magnitude_of(result.cliffs_delta);
  if (const double ratio = result.median_b / result.median_a; std::isfinite(ratio)) {
    result.ratio = ratio;
    result.ratio_interval = a.size() + b.size() > kMostResampled
                                ? large_ratio_interval(a, b, ratio, options.confidence)
                                : ratio_interval(a, b, options);
    CB_ASSIGN(result.noise, noise_of_ratio(a, b));
  }
  return result;
}

}  // namespace crossbind::stats
