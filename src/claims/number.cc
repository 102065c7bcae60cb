#include "claims/number.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/summary.h"

namespace crossbind::claims {
namespace {

constexpr double kTolerance = 1e-9;

double in_one_number(std::vector<double> samples, Stat stat) {
  switch (stat) {
    case Stat::kMean:
      return std::accumulate(samples.begin(), samples.end(), 0.0) /
             static_cast<double>(samples.size());
    case Stat::kMin:
      return *std::ranges::min_element(samples);
    case Stat::kMax:
      return *std::ranges::max_element(samples);
    case Stat::kMedian:
      break;
  }
  return stats::median_in_place(samples);
}

Number ratio(const Number& a, const Number& b) {
  if (b.value == 0) {
    return missing("the divisor is 0");
  }
  const double value = a.value / b.value;
  return {State::kHolds, value, std::abs(value), {}};
}

}  // namespace

Number missing(std::string reason) {
  return {State::kMissing, 0, 0, std::move(reason)};
}

Number number_of_cell(const Labels& labels, Stat stat, Lookup& lookup) {
  const auto cell = lookup.find(labels);
  if (!cell) {
    return missing(fmt::format("no {}", to_string(labels)));
  }
  if (cell->samples.empty()) {
    return {State::kLeftOut, 0, 0, fmt::format("{} is {}", to_string(labels), cell->word)};
  }
  const double value = in_one_number(cell->samples, stat);
  return {State::kHolds, value, std::abs(value), {}};
}

Number number_of(const Expression& expression, Stat stat, Lookup& lookup) {
  if (expression.kind == Expression::Kind::kCell) {
    return number_of_cell(lookup.resolve(expression.labels), stat, lookup);
  }
  const Number a = number_of(expression.operands[0], stat, lookup);
  const Number b = number_of(expression.operands[1], stat, lookup);
  for (const auto state : {State::kMissing, State::kLeftOut}) {
    for (const Number* number : {&a, &b}) {
      if (number->state == state) {
        return *number;
      }
    }
  }
  return expression.kind == Expression::Kind::kRatio
             ? ratio(a, b)
             : Number{State::kHolds, a.value - b.value, std::max(a.scale, b.scale), {}};
}

bool is_less(const Number& a, const Number& b) {
  return a.value < b.value - kTolerance * std::max(a.scale, b.scale);
}

bool is_within(const Number& number, const Bounds& bounds) {
  const auto bound = [](double value) { return Number{State::kHolds, value, std::abs(value), {}}; };
  return (!bounds.above || is_less(bound(*bounds.above), number)) &&
         (!bounds.at_least || !is_less(number, bound(*bounds.at_least))) &&
         (!bounds.at_most || !is_less(bound(*bounds.at_most), number)) &&
         (!bounds.below || is_less(number, bound(*bounds.below)));
}

}  // namespace crossbind::claims
