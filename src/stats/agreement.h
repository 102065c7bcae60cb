// Whether two sets of outputs for the same samples say the same: predictions, how near to each
// other the outputs are, and how sure the first was where the predictions differ. Knows no model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"

namespace crossbind::stats {

// How the outputs of a sample are read as its prediction. Of equals the lowest index is taken.
enum class Reading {
  kClass,  // the index of the largest
  kSign,   // one output: 1 when it is above 0, else 0
  kSpan,   // pairs: the index of the largest first of a pair, and that of the largest second
};

// Finite numbers, one row of `width` a sample.
struct Outputs {
  Reading reading = Reading::kClass;
  size_t width = 1;
  std::span<const float> values;
};

// The prediction of each sample: one number, of spans two, start and end. Fails when there is no
// whole number of samples or an output is not finite.
[[nodiscard]] Result<std::vector<int64_t>> predictions(const Outputs& outputs);

// The share of samples whose prediction is the target. Targets are numbers as predictions are.
[[nodiscard]] Result<double> accuracy(const Outputs& outputs, std::span<const int64_t> targets);

struct Agreement {
  size_t samples = 0;
  bool is_identical = false;      // bit for bit
  double largest_difference = 0;  // of two outputs, absolute
  size_t differing = 0;           // samples whose predictions differ
  // By how much `expected` preferred its prediction to the next best where they differ: the
  // difference of its two best outputs, of one output its distance from 0, of a span that of the
  // end that differs and is less sure.
  std::optional<double> smallest_margin;
  std::optional<double> largest_margin;
};

// Both sets of outputs must be of the same samples and reading.
[[nodiscard]] Result<Agreement> agreement(const Outputs& expected, const Outputs& other);

}  // namespace crossbind::stats
