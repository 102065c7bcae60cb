// Compared answers as people and files read them: a word, a cell of a matrix, a row of a file, and
// what the program ends with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/table.h"
#include "app/compared_answers.h"

namespace crossbind::cli {

[[nodiscard]] std::string_view word(app::Sameness sameness);  // "identical", "not run", ...

// "=", "≈ 3e-07", "2 differ, Δacc -0.20 %", "·" for what is unsupported.
[[nodiscard]] std::string cell_of(const app::ComparedAnswers& answers);
// The whole story of answers that differ, or the reason that there are none.
[[nodiscard]] std::string story_of(const app::ComparedAnswers& answers);
[[nodiscard]] std::string percent(double share);  // "97.20 %"

// For files: the columns' names, and the values of a row.
[[nodiscard]] std::vector<std::string> answer_columns();
[[nodiscard]] std::vector<analysis::Value> answer_values(const app::ComparedAnswers& answers);

// 0 where all that is supported is the same, 1 where something differs, else 3: something could not
// be tried.
[[nodiscard]] int exit_code(const std::vector<app::ComparedAnswers>& all);

}  // namespace crossbind::cli
