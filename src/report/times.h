// Times of bindings side by side: what they came to, and against the baseline.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace crossbind::report {

[[nodiscard]] Group group_of(const analysis::Scope& scope,
                             const std::string& device,
                             const std::vector<std::string>& varied);

// By group, then as bindings stand in tables.
[[nodiscard]] Result<std::vector<Time>> times_of(const std::vector<analysis::Times>& times,
                                                 const std::vector<analysis::TimeTest>& tests,
                                                 const std::vector<std::string>& varied);

}  // namespace crossbind::report
