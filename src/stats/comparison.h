// Two samples side by side: everything that is said about a pair of bindings, or of any two files
// of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/error.h"
#include "stats/effect_size.h"
#include "stats/interval.h"
#include "stats/rank_tests.h"

namespace crossbind::stats {

inline constexpr size_t kMostResampled = 2000;  // of both samples together

struct ComparisonOptions {
  UMethod method = UMethod::kAuto;
  double confidence = 0.95;
  uint32_t resamples = 9999;  // behind the ratio's interval
  uint32_t seed = 1;          // of these
};

struct Comparison {
  size_t n_a = 0;
  size_t n_b = 0;
  double median_a = 0;
  double median_b = 0;
  std::optional<double> ratio;             // median_b / median_a; none when median_a is 0
  std::optional<Interval> ratio_interval;  // none for one number, or when a resample has no ratio
  // How far the ratio is from 1 where a sample is held against itself (noise.h); none where that
  // cannot be told.
  std::optional<double> noise;
  UTest test;
  double smallest_p = 1;  // that samples of these sizes can have
  double cliffs_delta = 0;
  Magnitude effect = Magnitude::kNegligible;
};

// Numbers are finite, at least one a sample. The ratio's interval is the percentile bootstrap's:
// the acceleration of BCa comes from leaving out one number, which says little about a median. Of
// more than kMostResampled numbers it is Price and Bonett's, "Distribution-free confidence
// intervals for difference and ratio of medians", Journal of Statistical Computation and Simulation
// 72 (2002): from order statistics, so that a million numbers take no longer than sorting them.
[[nodiscard]] Result<Comparison> compare(std::span<const double> a,
                                         std::span<const double> b,
                                         const ComparisonOptions& options = {});

}  // namespace crossbind::stats
