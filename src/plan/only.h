// --only: the part of a study that is wanted. Terms with the same key are alternatives; of
// different keys all must hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::plan {

// "model=lenet*". Keys: those of `except`, and "seed", "repeat" and "trial" (the beginning of an
// identity).
struct Only {
  std::string key;
  std::string pattern;
};

[[nodiscard]] Result<Only> parse_only(std::string_view term);

// Whether the terms let a value through; those of other keys do not matter.
[[nodiscard]] bool lets_through(const std::vector<Only>& terms,
                                std::string_view key,
                                std::string_view value);

// An error when a term of the key matches none of the values; it suggests the nearest.
[[nodiscard]] Status check_only(const std::vector<Only>& terms,
                                std::string_view key,
                                const std::vector<std::string>& values);

}  // namespace crossbind::plan
