// Dynamic time warping: how far two curves are apart when either may wait for the other. Curves are
// finite numbers, at least one each, and may differ in length.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "base/error.h"

namespace crossbind::stats {

enum class PointCost { kAbsolute, kSquared };

struct DtwOptions {
  PointCost cost = PointCost::kAbsolute;
  // Points i and j are matched only where |i - j| <= band; a band narrower than the difference of
  // the lengths is an error.
  std::optional<size_t> band;
};

// The distance to where no path comes.
inline constexpr double kUnreachable = std::numeric_limits<double>::infinity();

struct Warping {
  double distance = 0;    // the sum of the costs along the path
  double normalised = 0;  // over the length of the longer curve, as the bindings study has it
};

// The smallest distance of any path. Sakoe and Chiba, "Dynamic programming algorithm optimization
// for spoken word recognition", IEEE Transactions on Acoustics, Speech, and Signal Processing 26
// (1978), symmetric form without slope constraint.
[[nodiscard]] Result<Warping> dtw(std::span<const double> a,
                                  std::span<const double> b,
                                  const DtwOptions& options = {});

// An approximation from above by absolute differences: the path of the curves at half resolution,
// widened by `radius` >= 1 on each side, is where the path is looked for. Salvador and Chan,
// "Toward accurate dynamic time warping in linear time and space", Intelligent Data Analysis 11
// (2007). Where paths tie, the one that last advanced on a alone is taken, else on b alone, as in
// the Python package fastdtw 0.3.4, whose distances these are to the last bit.
[[nodiscard]] Result<Warping> fastdtw(std::span<const double> a,
                                      std::span<const double> b,
                                      size_t radius = 1);

}  // namespace crossbind::stats
