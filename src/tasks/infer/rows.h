// An inference as the rows of a store, and back.
#pragma once

#include "base/error.h"
#include "store/record.h"
#include "tasks/infer/result.h"

namespace crossbind::tasks {

void write(const Inferred& inferred, store::TrialRecord& into);
[[nodiscard]] Result<Inferred> read_inferred(const store::TrialRecord& trial);

}  // namespace crossbind::tasks
