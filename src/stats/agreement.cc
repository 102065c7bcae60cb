#include "stats/agreement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace crossbind::stats {
namespace {

// What one prediction is chosen from: `count` outputs, `stride` apart.
struct Choice {
  const float* values = nullptr;
  size_t count = 0;
  size_t stride = 1;

  [[nodiscard]] size_t best() const {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      if (values[i * stride] > values[best * stride]) {
        best = i;
      }
    }
    return best;
  }

  [[nodiscard]] double margin() const {
    const size_t first = best();
    double second = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < count; ++i) {
      second = i == first ? second : std::max(second, double{values[i * stride]});
    }
    return double{values[first * stride]} - second;
  }
};

size_t numbers_of(Reading reading) {
  return reading == Reading::kSpan ? 2 : 1;
}

// The outputs that number `i` of predictions() is chosen among.
Choice choice(const Outputs& outputs, size_t i) {
  const size_t numbers = numbers_of(outputs.reading);
  return {outputs.values.data() + i / numbers * outputs.width + i % numbers,
          outputs.width / numbers,
          numbers};
}

int64_t prediction(const Outputs& outputs, size_t i) {
  return outputs.reading == Reading::kSign ? (outputs.values[i] > 0 ? 1 : 0)
                                           : static_cast<int64_t>(choice(outputs, i).best());
}

double margin(const Outputs& outputs, size_t i) {
  return outputs.reading == Reading::kSign ? std::abs(double{outputs.values[i]})
                                           : choice(outputs, i).margin();
}

Status check(const Outputs& outputs) {
  const bool is_wide = outputs.reading == Reading::kSign   ? outputs.width == 1
                       : outputs.reading == Reading::kSpan ? outputs.width >= 2
                                                           : outputs.width >= 1;
  if (!is_wide || outputs.width % numbers_of(outputs.reading) != 0 ||
      outputs.values.size() % outputs.width != 0 || outputs.values.empty()) {
    return fail(ErrorKind::kInvalid,
                "{} outputs are no rows of {} that can be read so",
                outputs.values.size(),
                outputs.width);
  }
  const auto wrong =
      std::ranges::find_if_not(outputs.values, [](float value) { return std::isfinite(value); });
  if (wrong != outputs.values.end()) {
    return fail(ErrorKind::kInvalid,
                "an output of sample {} is not finite",
                static_cast<size_t>(wrong - outputs.values.begin()) / outputs.width);
  }
  return {};
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

}  // namespace

Result<std::vector<int64_t>> predictions(const Outputs& outputs) {
  CB_TRY(check(outputs));
  const size_t count = outputs.values.size() / outputs.width * numbers_of(outputs.reading);
  std::vector<int64_t> found;
  found.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    found.push_back(prediction(outputs, i));
  }
  return found;
}

Result<double> accuracy(const Outputs& outputs, std::span<const int64_t> targets) {
  CB_ASSIGN(const auto found, predictions(outputs));
  if (found.size() != targets.size()) {
    return fail(ErrorKind::kInvalid,
                "there are {} predictions for {} targets",
                found.size(),
                targets.size());
  }
  const size_t numbers = numbers_of(outputs.reading);
  const size_t answers = found.size() / numbers;
  size_t right = 0;
  for (size_t i = 0; i < found.size(); i += numbers) {
    right += std::equal(&found[i], &found[i] + numbers, &targets[i]) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(answers);
}

Result<Agreement> agreement(const Outputs& expected, const Outputs& other) {
  CB_ASSIGN(const auto wanted, predictions(expected));
  CB_ASSIGN(const auto found, predictions(other));
  if (expected.reading != other.reading || expected.width != other.width ||
      expected.values.size() != other.values.size()) {
    return fail(ErrorKind::kInvalid,
                "{} outputs in rows of {} cannot be compared with {} in rows of {}",
                other.values.size(),
                other.width,
                expected.values.size(),
                expected.width);
  }
  Agreement result;
  const size_t numbers = numbers_of(expected.reading);
  result.samples = wanted.size() / numbers;
  result.is_identical =
      std::memcmp(expected.values.data(), other.values.data(), expected.values.size_bytes()) == 0;
  result.largest_difference = largest_difference(expected.values, other.values);
  for (size_t first = 0; first < wanted.size(); first += numbers) {
    std::optional<double> least;  // of the numbers of this sample that differ
    for (size_t i = first; i < first + numbers; ++i) {
      if (wanted[i] != found[i]) {
        const double sure = margin(expected, i);
        least = std::min(least.value_or(sure), sure);
      }
    }
    if (least) {
      ++result.differing;
      result.smallest_margin = std::min(result.smallest_margin.value_or(*least), *least);
      result.largest_margin = std::max(result.largest_margin.value_or(*least), *least);
    }
  }
  return result;
}

}  // namespace crossbind::stats
