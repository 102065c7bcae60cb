#include "stats/u_counts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace crossbind::stats {
namespace {

constexpr uint64_t kMostPairs = 10'000'000;

double binomial(uint64_t n, uint64_t k) {
  double value = 1;
  for (uint64_t i = 1; i <= k; ++i) {
    value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return value;
}

// How many divisions of the values so far give a sample a of `taken` and a certain 2U, for every
// taken and 2U: one row for each `taken`.
class Divisions {
 public:
  Divisions(uint64_t n_a, uint64_t n_b)
      : n_a_(n_a),
        n_b_(n_b),
        width_(2 * n_a * n_b + 1),
        counts_((n_a + 1) * width_, 0.0) {
    counts_[0] = 1;
  }

  // Divides `size` further, equal values in every way.
  void add(uint64_t size) {
    // From the largest row down: a row is read by those above it only.
    for (uint64_t taken = std::min(seen_ + size, n_a_) + 1; taken-- > 0;) {
      std::vector<double> sum(width_, 0.0);
      for (uint64_t more = 0; more <= std::min(size, taken); ++more) {
        collect(sum, taken - more, more, size);
      }
      std::ranges::copy(sum, counts_.begin() + static_cast<std::ptrdiff_t>(taken * width_));
    }
    seen_ += size;
  }

  [[nodiscard]] std::span<const double> whole() const {
    return std::span(counts_).subspan(n_a_ * width_, width_);
  }

 private:
  // The divisions that had `before` in a and now take `more` of the `size` equal values.
  void collect(std::span<double> sum, uint64_t before, uint64_t more, uint64_t size) const {
    if (before > seen_ || seen_ - before > n_b_) {
      return;
    }
    const uint64_t gain = more * (2 * (seen_ - before) + size - more);
    const double ways = binomial(size, more);
    const auto row = std::span(counts_).subspan(before * width_, width_);
    for (uint64_t u = gain; u < width_; ++u) {
      sum[u] += ways * row[u - gain];
    }
  }

  uint64_t n_a_;
  uint64_t n_b_;
  uint64_t width_;
  uint64_t seen_ = 0;
  std::vector<double> counts_;
};

}  // namespace

bool is_countable(uint64_t n_a, uint64_t n_b) {
  return n_a <= kMostPairs && n_b <= kMostPairs && n_a * n_b <= kMostPairs &&
         std::isfinite(binomial(n_a + n_b, std::min(n_a, n_b)));
}

double exact_u_at_most(uint64_t u, uint64_t n_a, uint64_t n_b) {
  const uint64_t small = std::min(n_a, n_b);
  const uint64_t large = std::max(n_a, n_b);
  const uint64_t pairs = small * large;
  if (u >= pairs) {
    return 1;
  }
  // Below the middle only, where the counts ascend: rounding then never outgrows them.
  if (2 * u > pairs) {
    return 1 - exact_u_at_most(pairs - u - 1, n_a, n_b);
  }
  std::vector<double> counts(u + 1, 0.0);
  counts[0] = 1;
  for (uint64_t k = 1; k <= small; ++k) {
    for (uint64_t i = u; i >= large + k; --i) {
      counts[i] -= counts[i - large - k];
    }
    for (uint64_t i = k; i <= u; ++i) {
      counts[i] += counts[i - k];
    }
  }
  double sum = 0;
  for (const double count : counts) {
    sum += count;
  }
  return sum / binomial(small + large, small);
}

Tails permutation_tails(uint64_t twice_u, std::span<const TieGroup> groups) {
  uint64_t n_a = 0;
  uint64_t n_b = 0;
  for (const auto& group : groups) {
    n_a += group.in_a;
    n_b += group.in_b;
  }
  Divisions divisions(n_a, n_b);
  for (const auto& group : groups) {
    divisions.add(group.size());
  }
  const auto counts = divisions.whole();
  Tails tails = {0, 0};
  for (uint64_t u = 0; u < counts.size(); ++u) {
    tails.at_most += u <= twice_u ? counts[u] : 0;
    tails.at_least += u >= twice_u ? counts[u] : 0;
  }
  const double all = binomial(n_a + n_b, n_a);
  return {tails.at_most / all, tails.at_least / all};
}

}  // namespace crossbind::stats
