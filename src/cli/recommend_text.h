// Recommendations for a terminal.
#pragma once

#include <string>
#include <vector>

#include "decide/recommend.h"

namespace crossbind::cli {

// The first ten of each ranking; JSON has all.
[[nodiscard]] std::string recommendations_text(const std::vector<decide::Ranking>& rankings);

}  // namespace crossbind::cli
