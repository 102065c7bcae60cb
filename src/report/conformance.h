// The verdicts of conform in a report's matrix: it looks at more than a store's judged steps.
#pragma once

#include <string>
#include <vector>

#include "analysis/observation.h"
#include "report/report.h"
#include "tasks/conform/result.h"

namespace crossbind::report {

// Conform's verdict on a binding and model takes the place of the referee's word on judged steps,
// unless that is "diverges". Bindings and models that the store has not come after those it has.
// Where the store and a file both have a verdict of conform, the file's stands, and a line says so.
void add_conformance(const std::vector<analysis::StoredVerdict>& stored,
                     const std::vector<tasks::Verdict>& filed,
                     Report& into);

}  // namespace crossbind::report
