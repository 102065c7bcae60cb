#include "stats/input.h"

#include <cmath>

#include "base/text.h"

namespace crossbind::stats {
namespace {

Status check_count(std::span<const double> sample, std::string_view name, size_t count) {
  if (sample.size() >= count) {
    return {};
  }
  if (sample.empty()) {
    return fail(ErrorKind::kInvalid, "{} is empty", name);
  }
  return fail(ErrorKind::kInvalid,
              "{} has {} {}; at least {} are needed",
              name,
              sample.size(),
              plural(sample.size(), "number", "numbers"),
              count);
}

}  // namespace

Status check_ordered(std::span<const double> sample, std::string_view name) {
  CB_TRY(check_count(sample, name, 1));
  for (size_t i = 0; i < sample.size(); ++i) {
    if (std::isnan(sample[i])) {
      return fail(ErrorKind::kInvalid, "number {} of {} is not a number (NaN)", i + 1, name);
    }
  }
  return {};
}

Status check_finite(std::span<const double> sample, std::string_view name, size_t count) {
  CB_TRY(check_count(sample, name, count));
  for (size_t i = 0; i < sample.size(); ++i) {
    if (!std::isfinite(sample[i])) {
      return fail(ErrorKind::kInvalid, "number {} of {} is {}", i + 1, name, sample[i]);
    }
  }
  return {};
}

Status check_probability(double value, std::string_view name) {
  if (value > 0 && value < 1) {
    return {};
  }
  return fail(ErrorKind::kInvalid, "{} is {}; it must lie between 0 and 1", name, value);
}

}  // namespace crossbind::stats
