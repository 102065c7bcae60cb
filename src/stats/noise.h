// The noise floor of a comparison: how far two samples of the same thing are apart by chance alone.
// It is found by holding a sample against itself: its numbers are dealt into two halves, in every
// way or, of many, in 199 random ones, and the difference that 95 of 100 deals stay within is
// the floor. Halves are smaller than the samples that are compared: a difference of samples of n
// and m numbers has a spread in proportion to sqrt(1/n + 1/m), which the floor is scaled by. And
// few numbers know their own spread badly, for which it is widened as Student's t is against the
// normal distribution. Two samples of one population then exceed it in 5 of 100 cases at most.
#pragma once

#include <optional>
#include <span>

#include "base/error.h"

namespace crossbind::stats {

// The noise of the ratio of two medians, the larger over the smaller: 1.03 says that a sample of
// `n` numbers and one of `m` of the same population differ by up to 3 % by chance. None for fewer
// than two numbers, or where a half has a median that is not above 0.
[[nodiscard]] Result<std::optional<double>> noise_of_ratio(std::span<const double> sample,
                                                           size_t n,
                                                           size_t m);

// The noise of the absolute difference of two means. None for fewer than two numbers.
[[nodiscard]] Result<std::optional<double>> noise_of_difference(std::span<const double> sample,
                                                                size_t n,
                                                                size_t m);

// The noise of two samples that are compared: the larger of what each shows, where one does.
[[nodiscard]] Result<std::optional<double>> noise_of_ratio(std::span<const double> a,
                                                           std::span<const double> b);
[[nodiscard]] Result<std::optional<double>> noise_of_difference(std::span<const double> a,
                                                                std::span<const double> b);

// Whether a ratio, above or below 1, is further from 1 than the floor. Without a floor nothing is.
[[nodiscard]] bool is_above_noise(const std::optional<double>& ratio,
                                  const std::optional<double>& noise);

}  // namespace crossbind::stats
