// What other programs compute (testdata/make_fixtures.py, make_r_fixtures.R), for the tests of this
// folder.
#pragma once

#include <nlohmann/json.hpp>

#include <limits>
#include <string>

#include "testing/testing.h"

namespace crossbind::stats {

// The cases of one part of testdata/fixtures.json, and of what R computes,
// testdata/r_fixtures.json.
[[nodiscard]] nlohmann::json fixtures(const std::string& part);
[[nodiscard]] nlohmann::json r_fixtures(const std::string& part);

// crossbind and what made the fixtures both round; neither sums more than a few hundred terms.
inline constexpr double kTolerance = 1e-12;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

MATCHER_P(is_close_to, expected, "is a value within 1e-12 of its size") {
  if (!arg) {
    *result_listener << "failed: " << arg.error().to_string();
    return false;
  }
  *result_listener << "is off by " << *arg - expected;
  return std::abs(*arg - expected) <= kTolerance * std::max(1.0, std::abs(double{expected}));
}

}  // namespace crossbind::stats
