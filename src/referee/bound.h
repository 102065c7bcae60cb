// The local bound: how far a correct float32 result may lie from the referee's. A unit error is
// u sqrt(V), u = 2^-24, V the variance that the ops compute (K S^2 locally, propagated by squares);
// the bound is kBoundConstant units. A ratio is that of an error to its bound: at most 1 is
// rounding.
#pragma once

#include <string>

#include "referee/array.h"

namespace crossbind::referee {

inline constexpr double kBoundConstant = 32;
inline constexpr double kUnitRoundoff = 0x1p-24;
// What is smaller may lose digits or become 0: no unit but that of an exact operation is below.
inline constexpr double kSmallestNormal = 0x1p-126;

// A value of the referee with the unit error of every element.
struct Bounded {
  Array<double> value;
  Array<double> unit;
};

[[nodiscard]] Bounded bounded(Array<double> value, const Array<double>& variance);

[[nodiscard]] constexpr double bound_of(double unit) {
  return kBoundConstant * unit;
}

// Transform-based convolutions spread their error over a sample, gradients over a tensor: the unit
// of an element is then the largest one of its sample or tensor. Updates are exact to the element.
enum class Scope { kElement, kSample, kTensor };

struct Deviation {
  double ratio = 0;  // of error to bound; infinite for a NaN or an error where none may be
  double error = 0;
  double bound = 0;
  int64_t index = 0;
};

// The element of a recorded result whose ratio is largest. The shapes must be equal.
[[nodiscard]] Deviation largest_deviation(const Array<double>& recorded,
                                          const Bounded& expected,
                                          Scope scope);

}  // namespace crossbind::referee
