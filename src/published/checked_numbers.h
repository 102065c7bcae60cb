// What numbers of the study can be.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace crossbind::published {

[[nodiscard]] inline Status check_share(double value, std::string_view name) {
  if (!(value >= 0 && value <= 1)) {
    return fail(ErrorKind::kInvalid, "{} is {}, outside of 0 to 1", name, value);
  }
  return {};
}

[[nodiscard]] inline Status check_seconds(double value, std::string_view name) {
  if (!(value > 0 && value < 1e12)) {
    return fail(ErrorKind::kInvalid, "{} is {} s, which no work takes", name, value);
  }
  return {};
}

template <typename Check>
[[nodiscard]] Status check_all(std::span<const double> values, std::string_view name, Check check) {
  for (const double value : values) {
    CB_TRY(check(value, name));
  }
  return {};
}

}  // namespace crossbind::published
