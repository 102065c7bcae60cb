// Cells from files of comma-separated values: a paper's printed tables, or anybody's own.
//
//   # Table 6
//   framework,model,binding,=train.load,=train.total
//   pytorch,lenet1,python,148.9,465.7
//
// A column is a label, or with '=' before its name a quantity: each of those fields is one cell. It
// holds a number, several (samples) with spaces between, or a word; empty, there is no such cell.
// An empty label is one that the row's cells do not have. The column `reading` is no label but a
// condition: it tells apart what is printed twice for the same cell. The first comment says where
// the figures are from. A field may stand in quotes, as in any such file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "claims/cells.h"

namespace crossbind::claims {

// Errors name `place` and the line.
[[nodiscard]] Status read_cells(std::string_view text, const std::string& place, Cells& cells);

// Every *.csv of a folder, in the order of their names; at least one.
[[nodiscard]] Result<Cells> read_cell_folder(const std::filesystem::path& folder);

}  // namespace crossbind::claims
