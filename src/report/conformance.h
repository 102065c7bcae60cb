// The verdicts of `crossbind conform --json` in a report's matrix: it looks at more than a store's
// judged steps.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "report/report.h"

namespace crossbind::report {

// Its verdict on a binding and model takes the place of the store's, unless that is "diverges".
// Bindings and models that the store has not come after those it has. `place` names the file.
[[nodiscard]] Status add_conformance(std::string_view json, const std::string& place, Report& into);

}  // namespace crossbind::report
