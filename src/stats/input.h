// What the routines of this folder ask of their input: the same words for the same mistakes.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace crossbind::stats {

// At least one number, and all have an order: infinities have one, NaN has none.
[[nodiscard]] Status check_ordered(std::span<const double> sample, std::string_view name);

// At least `count` numbers that can be calculated with.
[[nodiscard]] Status check_finite(std::span<const double> sample,
                                  std::string_view name,
                                  size_t count = 1);

// A probability that is neither 0 nor 1: an alpha or a confidence.
[[nodiscard]] Status check_probability(double value, std::string_view name);

}  // namespace crossbind::stats
