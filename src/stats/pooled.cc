#include "stats/pooled.h"

#include <algorithm>

namespace crossbind::stats {

Pooled pool(std::span<const double> a, std::span<const double> b) {
  std::vector<double> left(a.begin(), a.end());
  std::vector<double> right(b.begin(), b.end());
  std::ranges::sort(left);
  std::ranges::sort(right);
  Pooled pooled;
  pooled.groups.reserve(a.size() + b.size());
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool from_left = j == right.size() || (i < left.size() && left[i] <= right[j]);
    const double value = from_left ? left[i] : right[j];
    const size_t right_below = j;
    TieGroup group;
    for (; i < left.size() && left[i] == value; ++i) {
      ++group.in_a;
    }
    for (; j < right.size() && right[j] == value; ++j) {
      ++group.in_b;
    }
    pooled.twice_u += group.in_a * (2 * right_below + group.in_b);
    const auto t = static_cast<double>(group.size());
    pooled.tie_term += t * (t * t - 1);
    pooled.groups.push_back(group);
  }
  return pooled;
}

}  // namespace crossbind::stats
