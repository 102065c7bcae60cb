// How the findings of `worker check` look: a line each as they come, a summary, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "checkup/examination.h"

namespace crossbind::cli {

// One line; below it, when something is wrong, what was expected, what came and where to read on.
// Nothing for one that waits: the summary counts those.
[[nodiscard]] std::string finding_text(const checkup::Finding& finding);

[[nodiscard]] std::string findings_summary(const std::vector<checkup::Finding>& findings);
[[nodiscard]] std::string findings_json(const std::vector<checkup::Finding>& findings);

}  // namespace crossbind::cli
