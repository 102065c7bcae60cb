#include "stats/comparison.h"

#include <cmath>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/input.h"
#include "stats/summary.h"

namespace crossbind::stats {
namespace {

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
  const auto found = bootstrap(
      a,
      b,
      ratio,
      {.kind = BootstrapKind::kPercentile, .confidence = options.confidence, .seed = options.seed});
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
    result.ratio_interval = ratio_interval(a, b, options);
  }
  return result;
}

}  // namespace crossbind::stats
