// The matrix: how every binding of a store does on every model of it, and why it is said to.
#pragma once

#include <vector>

#include "analysis/observation.h"
#include "report/notes.h"
#include "report/report.h"

namespace crossbind::report {

// The grades of the report's bindings on its models, model by model within a binding.
[[nodiscard]] std::vector<Graded> grade_all(const analysis::Observed& observed,
                                            const Notes& notes,
                                            const Report& report);

}  // namespace crossbind::report
