// Recommendations for a terminal.
#pragma once

#include <string>
#include <vector>

#include "decide/recommend.h"

namespace crossbind::cli {

// The first ten of each ranking; JSON has all.
[[nodiscard]] std::string recommendations_text(const std::vector<decide::Ranking>& rankings);

// What there is to ask about, for a question that finds nothing: "inference of lenet5 on cpu in
// python, rust".
[[nodiscard]] std::string measured_text(const decide::Cases& cases);

}  // namespace crossbind::cli
