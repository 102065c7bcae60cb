// Intervals of confidence for any statistic, by resampling. The same seed gives the same interval
// on every machine. Samples are at least two finite numbers; a statistic that is not finite for
// some resample (a ratio whose divisor became 0) has no interval, and that is an error. Efron and
// Tibshirani, An Introduction to the Bootstrap (1993), chapters 13 and 14.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/error.h"
#include "stats/interval.h"

namespace crossbind::stats {

enum class BootstrapKind {
  kPercentile,
  kBca,  // corrected for bias and acceleration
};

struct BootstrapOptions {
  BootstrapKind kind = BootstrapKind::kBca;
  double confidence = 0.95;
  uint32_t resamples = 9999;
  uint32_t seed = 1;
};

struct BootstrapInterval {
  Interval interval;
  // The one that was used: where every resample lies on one side of the estimate, BCa is undefined
  // and the percentile interval is given instead.
  BootstrapKind kind = BootstrapKind::kBca;
};

using Statistic = std::function<double(std::span<const double>)>;
using TwoSampleStatistic = std::function<double(std::span<const double>, std::span<const double>)>;

[[nodiscard]] Result<BootstrapInterval> bootstrap(std::span<const double> sample,
                                                  const Statistic& statistic,
                                                  const BootstrapOptions& options = {});

// The samples are resampled independently.
[[nodiscard]] Result<BootstrapInterval> bootstrap(std::span<const double> a,
                                                  std::span<const double> b,
                                                  const TwoSampleStatistic& statistic,
                                                  const BootstrapOptions& options = {});

}  // namespace crossbind::stats
