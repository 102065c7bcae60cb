#include "stats/corrections.h"

#include <algorithm>
#include <numeric>

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

// From the largest p down: each p times the factor of its rank, but no more than one above it.
template <typename Factor>
Result<std::vector<double>> step_up(std::span<const double> p, const Factor& factor) {
  CB_TRY(check(p));
  std::vector<double> adjusted(p.size());
  const auto order = ascending(p);
  double smallest = 1;
  for (size_t rank = p.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    smallest = std::min(smallest, p[i] * factor(rank));
    adjusted[i] = smallest;
  }
  return adjusted;
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
  return step_up(p, [&](size_t rank) { return static_cast<double>(p.size() - rank + 1); });
}

Result<std::vector<double>> benjamini_hochberg(std::span<const double> p) {
  return step_up(
      p, [&](size_t rank) { return static_cast<double>(p.size()) / static_cast<double>(rank); });
}

}  // namespace crossbind::stats
