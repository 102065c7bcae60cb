// Sets of points: every combination of some labels' values, and unions of such.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "claims/cells.h"

namespace crossbind::claims {

struct Grid {
  using LabelValues = std::map<std::string, std::vector<std::string>, std::less<>>;
  std::vector<LabelValues> parts;

  [[nodiscard]] bool empty() const { return parts.empty(); }

  // Part after part; the last label changes fastest. Without parts: one point without labels.
  [[nodiscard]] std::vector<Labels> points() const;

  // The labels that have more than one value.
  [[nodiscard]] std::set<std::string> varying() const;
};

// "$name" replaced by the value of `$name` or else `name` at the point; what has no value stays.
[[nodiscard]] std::string substituted(std::string_view text, const Labels& point);

// The names after each '$'.
[[nodiscard]] std::vector<std::string> variables_of(std::string_view text);

}  // namespace crossbind::claims
