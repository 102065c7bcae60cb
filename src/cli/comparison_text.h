// Two files of numbers side by side, for a terminal and as JSON: what was measured, and what the
// tests prove of it.
#pragma once

#include <optional>
#include <string>

#include "stats/comparison.h"
#include "stats/dtw.h"

namespace crossbind::cli {

struct Warpings {
  stats::Warping exact;
  stats::Warping fast;
};

struct ComparedFiles {
  std::string a;  // as the user names them
  std::string b;
  stats::Comparison comparison;
  std::optional<Warpings> warpings;  // of curves
};

[[nodiscard]] std::string comparison_text(const ComparedFiles& files);
[[nodiscard]] std::string comparison_json(const ComparedFiles& files);

}  // namespace crossbind::cli
