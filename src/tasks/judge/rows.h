// Judged steps as the rows of a store, and back.
#pragma once

#include "base/error.h"
#include "store/record.h"
#include "tasks/judge/result.h"

namespace crossbind::tasks {

// A ratio that is no number, or infinite, is written as one that is as far off as can be.
void write(const Judged& judged, store::TrialRecord& into);
[[nodiscard]] Result<Judged> read_judged(const store::TrialRecord& trial);

}  // namespace crossbind::tasks
