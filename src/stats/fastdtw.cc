#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/dtw.h"
#include "stats/input.h"

namespace crossbind::stats {
namespace {

using Curve = std::vector<double>;

// The points of b, first to last, that one point of a is matched with.
struct Range {
  int64_t first = 0;
  int64_t last = 0;
};

enum class Step : uint8_t { kAdvanceA, kAdvanceB, kAdvanceBoth };

// Warping within a window: for every point of a a range of b's, neither end ever going back.
class WindowedWarping {
 public:
  WindowedWarping(const Curve& a, const Curve& b, std::vector<Range> window)
      : a_(a),
        b_(b),
        window_(std::move(window)),
        previous_(b.size() + 1, kUnreachable),
        current_(b.size() + 1, kUnreachable) {
    size_t cells = 0;
    for (const auto& range : window_) {
      offsets_.push_back(cells);
      cells += static_cast<size_t>(range.last - range.first + 1);
    }
    steps_.resize(cells);
    previous_[0] = 0;  // what the first cell continues
    for (size_t i = 0; i < a_.size(); ++i) {
      fill_row(i);
      std::swap(previous_, current_);
    }
  }

  [[nodiscard]] double distance() const { return previous_.back(); }

  // The points of b that the best path matches each point of a with.
  [[nodiscard]] std::vector<Range> path() const {
    std::vector<Range> rows(a_.size());
    size_t i = a_.size() - 1;
    auto j = static_cast<int64_t>(b_.size()) - 1;
    rows[i] = {j, j};
    while (i > 0 || j > 0) {
      const Step step = steps_[offsets_[i] + static_cast<size_t>(j - window_[i].first)];
      if (step != Step::kAdvanceA) {
        --j;
      }
      if (step != Step::kAdvanceB) {
        rows[--i].last = j;
      }
      rows[i].first = j;
    }
    return rows;
  }

 private:
  // Point j of b is element j + 1 of a row.
  void fill_row(size_t i) {
    const auto [first, last] = window_[i];
    if (i > 0) {
      std::fill(previous_.begin() + window_[i - 1].last + 2,
                previous_.begin() + std::max(window_[i - 1].last, last) + 2,
                kUnreachable);
    }
    Step* step = steps_.data() + offsets_[i];
    const double* above = previous_.data() + first;
    double left = kUnreachable;
    for (int64_t j = first; j <= last; ++j, ++above, ++step) {
      const double cost = std::fabs(a_[i] - b_[static_cast<size_t>(j)]);
      // The sums are compared, not what they add to: rounding may make a tie of a difference.
      double best = above[1] + cost;
      *step = Step::kAdvanceA;
      if (left + cost < best) {
        best = left + cost;
        *step = Step::kAdvanceB;
      }
      if (above[0] + cost < best) {
        best = above[0] + cost;
        *step = Step::kAdvanceBoth;
      }
      current_[static_cast<size_t>(j) + 1] = best;
      left = best;
    }
    current_[static_cast<size_t>(first)] = kUnreachable;
  }

  const Curve& a_;
  const Curve& b_;
  std::vector<Range> window_;
  std::vector<size_t> offsets_;  // of each row's steps
  std::vector<Step> steps_;
  Curve previous_;
  Curve current_;
};

// The means of neighbours; an odd last point is left out.
Curve halved(const Curve& curve) {
  Curve half(curve.size() / 2);
  for (size_t i = 0; i < half.size(); ++i) {
    half[i] = (curve[2 * i] + curve[2 * i + 1]) / 2;
  }
  return half;
}

// The cells of full curves whose halves lie within `radius` of the coarse path.
std::vector<Range> widened(const std::vector<Range>& coarse, size_t n, size_t m, int64_t radius) {
  std::vector<Range> window(n);
  const auto coarse_last = static_cast<int64_t>(coarse.size()) - 1;
  const auto last = static_cast<int64_t>(m) - 1;
  for (size_t i = 0; i < n; ++i) {
    const auto row = static_cast<int64_t>(i / 2);
    const auto& lowest = coarse[static_cast<size_t>(std::max(row - radius, int64_t{0}))];
    const auto& highest = coarse[static_cast<size_t>(std::min(row + radius, coarse_last))];
    window[i] = {std::max(2 * (lowest.first - radius), int64_t{0}),
                 std::min(2 * (highest.last + radius) + 1, last)};
  }
  return window;
}

WindowedWarping warped(const Curve& a, const Curve& b, size_t radius) {
  if (std::min(a.size(), b.size()) < radius + 2) {
    return {a, b, {a.size(), Range{0, static_cast<int64_t>(b.size()) - 1}}};
  }
  const Curve half_a = halved(a);
  const Curve half_b = halved(b);
  const auto coarse = warped(half_a, half_b, radius).path();
  return {a, b, widened(coarse, a.size(), b.size(), static_cast<int64_t>(radius))};
}

}  // namespace

Result<Warping> fastdtw(std::span<const double> a, std::span<const double> b, size_t radius) {
  CB_TRY(check_finite(a, "curve a"));
  CB_TRY(check_finite(b, "curve b"));
  if (radius == 0) {
    return fail(ErrorKind::kInvalid, "fastdtw's radius must be at least 1");
  }
  const size_t longer = std::max(a.size(), b.size());
  const Curve left(a.begin(), a.end());
  const Curve right(b.begin(), b.end());
  const double distance = warped(left, right, std::min(radius, longer)).distance();
  return Warping{distance, distance / static_cast<double>(longer)};
}

}  // namespace crossbind::stats
