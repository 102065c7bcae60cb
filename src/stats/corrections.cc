#include "stats/corrections.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace crossbind::stats {
namespace {

Status check(std::span<const double> p) {
  for (size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] >= 0 && p[i] <= 1)) {
      return fail(ErrorKind::kInvalid, "p-value {} is {}; it must lie in [0, 1]", i + 1, p[i]);
    }
  }
  return {};
}

// The indices of p by ascending p.
std::vector<size_t> ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return p[i]; });
  return order;
}

}  // namespace

Result<std::vector<double>> bonferroni(std::span<const double> p) {
  CB_TRY(check(p));
  std::vector<double> adjusted(p.begin(), p.end());
  for (double& value : adjusted) {
    value = std::min(value * static_cast<double>(p.size()), 1.0);
  }
  return adjusted;
}

Result<std::vector<double>> holm(std::span<const double> p) {
  CB_TRY(check(p));
  std::vector<double> adjusted(p.size());
  double largest = 0;
  auto left = static_cast<double>(p.size());
  for (const size_t i : ascending(p)) {
    largest = std::max(largest, left * p[i]);
    adjusted[i] = std::min(largest, 1.0);
    left -= 1;
  }
  return adjusted;
}

Result<std::vector<double>> hochberg(std::span<const double> p) {
  CB_TRY(check(p));
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  double factor = 1;
  for (const size_t i : ascending(p) | std::views::reverse) {
    smallest = std::min(smallest, p[i] * factor);
    adjusted[i] = smallest;
    factor += 1;
  }
  return adjusted;
}

}  // namespace crossbind::stats
