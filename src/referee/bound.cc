#include "referee/bound.h"

#include <limits>

namespace crossbind::referee {

Bounded bounded(Array<double> value, const Array<double>& variance) {
  Bounded result{std::move(value), Array<double>(variance.shape)};
  std::ranges::transform(variance.values, result.unit.values.begin(), [](double v) {
    return v == 0 ? 0 : kUnitRoundoff * std::sqrt(v) + kSmallestNormal;
  });
  return result;
}

Deviation largest_deviation(const Array<double>& recorded, const Bounded& expected, Scope scope) {
  Deviation worst;
  const int64_t size = recorded.size();
  const int64_t group = scope == Scope::kElement  ? 1
                        : scope == Scope::kSample ? size / std::max<int64_t>(recorded.batch(), 1)
                                                  : size;
  for (int64_t begin = 0; begin < size; begin += group) {
    const auto units = expected.unit.values.begin() + begin;
    const double bound = bound_of(*std::max_element(units, units + group));
    for (int64_t i = begin; i < begin + group; ++i) {
      const double error = std::abs(recorded[i] - expected.value[i]);
      double ratio = error == 0 ? 0 : error / bound;
      if (std::isnan(ratio)) {
        ratio = std::numeric_limits<double>::infinity();
      }
      if (ratio > worst.ratio) {
        worst = {ratio, error, bound, i};
      }
    }
  }
  return worst;
}

}  // namespace crossbind::referee
