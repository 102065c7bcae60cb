// What conform says as the rows of a store, and back.
#pragma once

#include "base/error.h"
#include "store/record.h"
#include "tasks/conform/result.h"

namespace crossbind::tasks {

// What is beyond all bounds comes back as infinite, what is no number too.
void write(const Conformed& conformed, store::TrialRecord& into);
[[nodiscard]] Result<Conformed> read_conformed(const store::TrialRecord& trial);

}  // namespace crossbind::tasks
