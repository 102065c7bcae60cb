#include "stats/noise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "stats/distributions.h"
#include "stats/input.h"
#include "stats/summary.h"
#include "tensor/normal.h"
#include "tensor/philox.h"

namespace crossbind::stats {
namespace {

constexpr double kWithin = 0.95;  // of the deals
constexpr double kTwoSided = 1 - (1 - kWithin) / 2;
constexpr size_t kLargestWhole = 10;  // numbers of which every deal is tried: 126 at most
constexpr uint32_t kRandomDeals = 199;
constexpr size_t kMostDealt = 500;
constexpr uint32_t kSeed = 1;
constexpr uint32_t kOfNoise = 0xFFFFFFFF;  // no comparison whose halves are dealt has this number

using Halves = std::pair<std::vector<double>, std::vector<double>>;
// How far two halves are apart; none where that cannot be said.
using Distance = std::function<std::optional<double>(Halves&)>;

// In ascending order, so that the floor does not depend on any; of very many evenly chosen ones,
// which have the same spread.
std::vector<double> chosen_of(std::span<const double> sample) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const size_t step = (sorted.size() + kMostDealt - 1) / kMostDealt;
  size_t count = 0;
  for (size_t i = 0; i < sorted.size(); i += step) {
    sorted[count++] = sorted[i];
  }
  sorted.resize(count);
  return sorted;
}

using Visit = std::function<bool(Halves&)>;  // false: no more

// Every way to deal. Which half is the first does not matter, so of an even sample the first number
// stays in the second half.
void deal_all(std::span<const double> sample, const Visit& visit) {
  const size_t half = sample.size() / 2;
  const bool is_even = sample.size() % 2 == 0;
  Halves halves;
  for (uint32_t mask = 0; mask < (1U << sample.size()); ++mask) {
    if (static_cast<size_t>(std::popcount(mask)) != half || (is_even && (mask & 1U) != 0)) {
      continue;
    }
    halves.first.clear();
    halves.second.clear();
    for (size_t i = 0; i < sample.size(); ++i) {
      ((mask >> i & 1U) != 0 ? halves.first : halves.second).push_back(sample[i]);
    }
    if (!visit(halves)) {
      return;
    }
  }
}

void deal_at_random(std::span<const double> sample, const Visit& visit) {
  const size_t half = sample.size() / 2;
  std::vector<int64_t> order(sample.size());
  std::iota(order.begin(), order.end(), 0);
  tensor::PhiloxStream stream(kSeed, tensor::Purpose::kHalves, kOfNoise);
  Halves halves;
  for (uint32_t i = 0; i < kRandomDeals; ++i) {
    tensor::shuffle(order, stream);
    halves.first.clear();
    halves.second.clear();
    for (size_t j = 0; j < order.size(); ++j) {
      (j < half ? halves.first : halves.second).push_back(sample[static_cast<size_t>(order[j])]);
    }
    if (!visit(halves)) {
      return;
    }
  }
}

Result<std::optional<double>> floor_of(std::span<const double> all,
                                       size_t n,
                                       size_t m,
                                       const Distance& distance) {
  CB_TRY(check_finite(all, "the sample"));
  const std::vector<double> sample = chosen_of(all);
  if (n == 0 || m == 0) {
    return fail(ErrorKind::kInvalid, "samples of {} and {} numbers cannot be compared", n, m);
  }
  if (sample.size() < 2) {
    return std::nullopt;
  }
  std::vector<double> distances;
  bool is_known = true;
  const auto deal = sample.size() > kLargestWhole ? deal_at_random : deal_all;
  deal(sample, [&](Halves& halves) {
    const auto found = distance(halves);
    is_known = found.has_value();
    distances.push_back(found.value_or(0));
    return is_known;
  });
  if (!is_known) {
    return std::nullopt;
  }
  std::ranges::sort(distances);
  const double doubt = student_quantile(kTwoSided, static_cast<int>(sample.size()) - 1) /
                       tensor::normal_quantile(kTwoSided);
  const auto spread = [](size_t one, size_t other) {
    return std::sqrt(1 / static_cast<double>(one) + 1 / static_cast<double>(other));
  };
  const size_t half = sample.size() / 2;
  return quantile_of_sorted(distances, kWithin) * doubt * spread(n, m) /
         spread(half, sample.size() - half);
}

std::optional<double> log_ratio(Halves& halves) {
  const double first = median_in_place(halves.first);
  const double second = median_in_place(halves.second);
  return first > 0 && second > 0 ? std::optional(std::abs(std::log(first) - std::log(second)))
                                 : std::nullopt;
}

std::optional<double> difference(Halves& halves) {
  const auto mean = [](const std::vector<double>& half) {
    return std::accumulate(half.begin(), half.end(), 0.0) / static_cast<double>(half.size());
  };
  return std::abs(mean(halves.first) - mean(halves.second));
}

using NoiseOfOne = Result<std::optional<double>> (*)(std::span<const double>, size_t, size_t);

Result<std::optional<double>> larger(NoiseOfOne noise,
                                     std::span<const double> a,
                                     std::span<const double> b) {
  CB_ASSIGN(const auto of_a, noise(a, a.size(), b.size()));
  CB_ASSIGN(const auto of_b, noise(b, a.size(), b.size()));
  return std::max(of_a, of_b);  // none is less than any
}

}  // namespace

Result<std::optional<double>> noise_of_ratio(std::span<const double> sample, size_t n, size_t m) {
  CB_ASSIGN(const auto floor, floor_of(sample, n, m, log_ratio));
  return floor ? std::optional(std::exp(*floor)) : std::nullopt;
}

Result<std::optional<double>> noise_of_difference(std::span<const double> sample,
                                                  size_t n,
                                                  size_t m) {
  return floor_of(sample, n, m, difference);
}

Result<std::optional<double>> noise_of_ratio(std::span<const double> a, std::span<const double> b) {
  return larger(noise_of_ratio, a, b);
}

Result<std::optional<double>> noise_of_difference(std::span<const double> a,
                                                  std::span<const double> b) {
  return larger(noise_of_difference, a, b);
}

bool is_above_noise(const std::optional<double>& ratio, const std::optional<double>& noise) {
  return ratio && noise && std::max(*ratio, 1 / *ratio) > *noise;
}

}  // namespace crossbind::stats
