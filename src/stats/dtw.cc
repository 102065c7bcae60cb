#include "stats/dtw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/input.h"

namespace crossbind::stats {
namespace {

struct AbsoluteCost {
  double operator()(double x, double y) const { return std::fabs(x - y); }
};

struct SquaredCost {
  double operator()(double x, double y) const { return (x - y) * (x - y); }
};

// The cells (i, diagonal - i) of one anti-diagonal that lie within the curves and the band.
struct Cells {
  int64_t first = 0;
  int64_t last = -1;
};

Cells cells_of(int64_t diagonal, int64_t n, int64_t m, int64_t band) {
  return {std::max({int64_t{0}, diagonal - m + 1, (diagonal - band + 1) >> 1}),
          std::min({n - 1, diagonal, (diagonal + band) >> 1})};
}

// Anti-diagonal by anti-diagonal: the cells of one do not depend on each other, so that the
// compiler makes vector instructions of the inner loop. Row by row each cell would wait for its
// neighbour.
template <typename Cost>
double smallest_distance(std::span<const double> a, std::span<const double> b, int64_t band) {
  const auto n = static_cast<int64_t>(a.size());
  const auto m = static_cast<int64_t>(b.size());
  const std::vector<double> reversed(b.rbegin(), b.rend());
  // Cell i of a diagonal is element i + 1; one unreachable element stands at either end.
  std::vector<double> storage(3 * (a.size() + 2), kUnreachable);
  double* before = storage.data();
  double* previous = before + n + 2;
  double* current = previous + n + 2;
  before[0] = 0;  // what the first cell continues
  for (int64_t diagonal = 0; diagonal < n + m - 1; ++diagonal) {
    const auto [first, last] = cells_of(diagonal, n, m, band);
    const double* x = a.data() + first;
    const double* y = reversed.data() + (m - 1 - diagonal + first);
    const double* corner = before + first;
    const double* side = previous + first;
    double* cell = current + first + 1;
    for (int64_t i = 0; i <= last - first; ++i) {
      cell[i] = std::min(std::min(side[i], side[i + 1]), corner[i]) + Cost{}(x[i], y[i]);
    }
    current[first] = kUnreachable;
    current[last + 2] = kUnreachable;
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[n];
}

Warping warping(double distance, std::span<const double> a, std::span<const double> b) {
  return {distance, distance / static_cast<double>(std::max(a.size(), b.size()))};
}

}  // namespace

Result<Warping> dtw(std::span<const double> a,
                    std::span<const double> b,
                    const DtwOptions& options) {
  CB_TRY(check_finite(a, "curve a"));
  CB_TRY(check_finite(b, "curve b"));
  const size_t longer = std::max(a.size(), b.size());
  const size_t band = std::min(options.band.value_or(longer), longer);
  if (band < longer - std::min(a.size(), b.size())) {
    return fail(ErrorKind::kInvalid,
                "a band of {} does not join curves of {} and {} points",
                band,
                a.size(),
                b.size());
  }
  const auto width = static_cast<int64_t>(band);
  const double distance = options.cost == PointCost::kAbsolute
                              ? smallest_distance<AbsoluteCost>(a, b, width)
                              : smallest_distance<SquaredCost>(a, b, width);
  return warping(distance, a, b);
}

}  // namespace crossbind::stats
