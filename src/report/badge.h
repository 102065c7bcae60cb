// What the owner of a binding puts into its documentation: a table of how it does, and a badge.
#pragma once

#include <string>

#include "base/error.h"
#include "report/report.h"

namespace crossbind::report {

struct Badge {
  std::string markdown;
  std::string svg;
};

// The name of its files: the binding's, with "-" for "/".
[[nodiscard]] std::string badge_name(const std::string& binding);

// An error where the report has no such binding; it names those there are.
[[nodiscard]] Result<Badge> badge_of(const Report& report, const std::string& binding);

}  // namespace crossbind::report
