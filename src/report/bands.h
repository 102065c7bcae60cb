// Accuracy curves of all seeds and repeats of a training as one band.
#pragma once

#include <string>
#include <vector>

#include "analysis/observation.h"
#include "report/notes.h"
#include "report/report.h"

namespace crossbind::report {

// By group, then as bindings stand in tables. An epoch that not every training has is left out.
[[nodiscard]] std::vector<Band> bands_of(const analysis::Observed& observed,
                                         const Notes& notes,
                                         const std::vector<std::string>& varied);

}  // namespace crossbind::report
