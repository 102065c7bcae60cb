// One trial as figures of the kinds that a report has. It shows the rows of the store as they are,
// metric by metric, on purpose: whoever looks at one trial wants to see what was written down.
#pragma once

#include "report/document.h"
#include "store/record.h"

namespace crossbind::serve {

// Its accuracy by epoch, and the spread of what it measured, a figure a metric.
[[nodiscard]] report::Document figures_of(const store::TrialRecord& trial);

}  // namespace crossbind::serve
