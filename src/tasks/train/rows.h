// A training as the rows of a store, and back.
#pragma once

#include "base/error.h"
#include "store/record.h"
#include "tasks/train/result.h"

namespace crossbind::tasks {

void write(const Trained& trained, store::TrialRecord& into);
[[nodiscard]] Result<Trained> read_trained(const store::TrialRecord& trial);

}  // namespace crossbind::tasks
