// The matrix of `crossbind cross` as people and files read it.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.h"
#include "app/cross_cells.h"

namespace crossbind::cli {

// A matrix a model and task, then what differs and why something is missing.
[[nodiscard]] std::string cross_text(const std::vector<app::CrossCell>& cells);
[[nodiscard]] analysis::Table cross_table(const std::vector<app::CrossCell>& cells);

}  // namespace crossbind::cli
