// Whether times became longer: two samples of each of many comparisons, judged together. Numbers
// only; what they are times of is the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "stats/rank_tests.h"

namespace crossbind::decide {

struct TimeLimits {
  double slowdown = 0.05;  // a ratio of medians up to 1 + this is let pass
  double alpha = 0.05;     // of all comparisons together
};

// Seconds, at least one number each.
struct TimeSamples {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// What two samples of times say about the candidate's.
enum class Pace {
  kSlower,       // significantly, and by more than the limit
  kWithinLimit,  // significantly, but not by more
  kWithinNoise,  // significantly, but by less than a build differs from itself
  kFaster,       // significantly
  kNotSlower,    // nothing was found
  kTooFew,       // nothing could have been found: these sizes never reach alpha
};

[[nodiscard]] std::string_view to_string(Pace pace);

struct TimeFinding {
  double median_baseline = 0;
  double median_candidate = 0;
  std::optional<double> noise;  // the ratio that a build against itself stays within
  double ratio = 0;       // of the medians; infinite where the baseline's is 0 and the other is not
  double p = 1;           // Mann-Whitney
  double larger = 0.5;    // the share of pairs in which the candidate's number is the larger
  double p_adjusted = 1;  // Hochberg's, over all comparisons
  double smallest_p = 1;  // that samples of these sizes can have
  // How many samples each would show a slowdown of this comparison alone; 0 where these do.
  size_t needed = 0;
  Pace pace = Pace::kNotSlower;
};

// Compares two samples alone: nothing is corrected or judged yet. kGreater: the candidate's are the
// larger.
[[nodiscard]] Result<TimeFinding> compare_times(const TimeSamples& samples,
                                                stats::Alternative alternative);

// A finding for each comparison, two-sided. Exact up to 60 numbers, ties included, so that a
// comparison of equal populations is no more often significant than alpha says, whatever their
// distribution.
[[nodiscard]] Result<std::vector<TimeFinding>> judge_times(std::span<const TimeSamples> comparisons,
                                                           const TimeLimits& limits);

}  // namespace crossbind::decide
