// Recommendations for programs.
#pragma once

#include <string>
#include <vector>

#include "decide/recommend.h"

namespace crossbind::decide {

[[nodiscard]] std::string recommendations_json(const std::vector<Ranking>& rankings);

}  // namespace crossbind::decide
