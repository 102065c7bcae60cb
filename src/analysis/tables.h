// An analysis as tables: the arrays of `crossbind analyze`, and the tables and figures of the
// bindings paper.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "analysis/table.h"

namespace crossbind::analysis {

// A table for every kind of finding, every field a column. The conditions of which the store has
// more than one value are columns too.
[[nodiscard]] std::vector<Table> finding_tables(const Analysis& analysis);

// Tables 1 to 7 and the data of figures 3, 5, 6 and 7, laid out as in the paper.
[[nodiscard]] std::vector<Table> paper_tables(const Analysis& analysis);

}  // namespace crossbind::analysis
