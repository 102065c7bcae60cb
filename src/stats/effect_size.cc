#include "stats/effect_size.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/named.h"
#include "stats/distributions.h"
#include "stats/input.h"
#include "stats/pooled.h"

namespace crossbind::stats {
namespace {

constexpr std::array kMagnitudes = {Named<Magnitude>{"negligible", Magnitude::kNegligible},
                                    Named<Magnitude>{"small", Magnitude::kSmall},
                                    Named<Magnitude>{"medium", Magnitude::kMedium},
                                    Named<Magnitude>{"large", Magnitude::kLarge}};

Status check_both(std::span<const double> a, std::span<const double> b, size_t count) {
  CB_TRY(check_ordered(a, "sample a", count));
  return check_ordered(b, "sample b", count);
}

double square(double x) {
  return x * x;
}

double delta_of(const Pooled& pooled, double n_a, double n_b) {
  return (static_cast<double>(pooled.twice_u) - n_a * n_b) / (n_a * n_b);
}

// The unbiased estimate of delta's variance, from how far each number of a dominates b, each of b
// dominates a, and each pair.
double variance_of(const Pooled& pooled, double delta, double n_a, double n_b) {
  double a_below = 0;
  double b_below = 0;
  double rows = 0;
  double columns = 0;
  double pairs = 0;
  for (const auto& group : pooled.groups) {
    const auto in_a = static_cast<double>(group.in_a);
    const auto in_b = static_cast<double>(group.in_b);
    const double b_above = n_b - b_below - in_b;
    const double a_above = n_a - a_below - in_a;
    rows += in_a * square((b_below - b_above) / n_b - delta);
    columns += in_b * square((a_above - a_below) / n_a - delta);
    pairs +=
        in_a * (b_below * square(1 - delta) + b_above * square(-1 - delta) + in_b * square(delta));
    a_below += in_a;
    b_below += in_b;
  }
  const double unbiased =
      (square(n_b) * rows + square(n_a) * columns - pairs) / (n_a * n_b * (n_a - 1) * (n_b - 1));
  return std::max(unbiased, (1 - square(delta)) / (n_a * n_b - 1));
}

// A double as an integer in the same order.
int64_t ordinal(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<int64_t>::min() - bits;
}

double from_ordinal(int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place : std::numeric_limits<int64_t>::min() - place);
}

// All a - b of two ascending samples, without making them.
class Differences {
 public:
  Differences(std::span<const double> a, std::span<const double> b)
      : a_(a.begin(), a.end()),
        b_(b.begin(), b.end()) {
    std::ranges::sort(a_);
    std::ranges::sort(b_);
  }

  [[nodiscard]] uint64_t count() const { return a_.size() * b_.size(); }

  // The difference with `rank` others before it, found by halving the doubles between the extremes.
  [[nodiscard]] double at(uint64_t rank) const {
    int64_t low = ordinal(a_.front() - b_.back());
    int64_t high = ordinal(a_.back() - b_.front());
    while (low < high) {
      const int64_t middle = std::midpoint(low, high);  // rounds towards low
      if (at_most(from_ordinal(middle)) > rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return from_ordinal(low);
  }

 private:
  [[nodiscard]] uint64_t at_most(double limit) const {
    uint64_t found = 0;
    size_t j = 0;  // b_[j] and those above it are near enough; the next a needs no smaller one
    for (const double value : a_) {
      while (j < b_.size() && value - b_[j] > limit) {
        ++j;
      }
      found += b_.size() - j;
    }
    return found;
  }

  std::vector<double> a_;
  std::vector<double> b_;
};

}  // namespace

std::string_view to_string(Magnitude magnitude) {
  return name_in(kMagnitudes, magnitude);
}

Magnitude magnitude_of(double cliffs_delta) {
  const double size = std::fabs(cliffs_delta);
  if (size <= 0.147) {
    return Magnitude::kNegligible;
  }
  if (size <= 0.33) {
    return Magnitude::kSmall;
  }
  return size <= 0.474 ? Magnitude::kMedium : Magnitude::kLarge;
}

Result<double> cliffs_delta(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_both(a, b, 1));
  return delta_of(pool(a, b), static_cast<double>(a.size()), static_cast<double>(b.size()));
}

Result<double> vargha_delaney(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_both(a, b, 1));
  return static_cast<double>(pool(a, b).twice_u) /
         (2 * static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

Result<Interval> cliffs_delta_interval(std::span<const double> a,
                                       std::span<const double> b,
                                       double confidence) {
  CB_TRY(check_both(a, b, 2));
  CB_TRY(check_probability(confidence, "the confidence"));
  const double t2 =
      square(student_quantile(0.5 + confidence / 2, static_cast<int>(a.size() + b.size() - 2)));
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const Pooled pooled = pool(a, b);
  const double delta = delta_of(pooled, n_a, n_b);
  if (std::fabs(delta) == 1) {
    const double n = std::min(n_a, n_b);
    const double inner = (n - t2) / (n + t2);
    return delta > 0 ? Interval{inner, 1} : Interval{-1, -inner};
  }
  const double spread = t2 * variance_of(pooled, delta, n_a, n_b);
  const double rest = 1 - square(delta);
  const double reach = std::sqrt(spread * (square(rest) + spread));
  return Interval{std::max((delta * rest - reach) / (rest + spread), -1.0),
                  std::min((delta * rest + reach) / (rest + spread), 1.0)};
}

Result<double> hodges_lehmann(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_finite(a, "sample a"));
  CB_TRY(check_finite(b, "sample b"));
  const Differences differences(a, b);
  const uint64_t count = differences.count();
  const double upper = differences.at(count / 2);
  return count % 2 == 1 ? upper : std::midpoint(differences.at(count / 2 - 1), upper);
}

}  // namespace crossbind::stats
