// What a trial measured: one type a task, and the one way into a store's rows and back. Nothing
// else knows what metrics and facts are called.
#pragma once

#include <variant>

#include "base/error.h"
#include "store/record.h"
#include "tasks/conform/result.h"
#include "tasks/infer/result.h"
#include "tasks/judge/result.h"
#include "tasks/train/result.h"
#include "trial/settings.h"

namespace crossbind::tasks {

using Measured = std::variant<Trained, Inferred, Judged, Conformed>;

// A store may hold what another version of crossbind wrote: a task that this one does not know is
// an error (kUnsupported).
[[nodiscard]] Result<trial::Task> task_of(const store::Axes& axes);

// The record has nothing of it yet.
void write(const Measured& measured, store::TrialRecord& into);

// What a trial measured, by its task. What is not done has measured nothing, and its value is
// empty; but conform's says why. Metrics and facts that are none of the task's are left out.
[[nodiscard]] Result<Measured> read(const store::TrialRecord& trial);

}  // namespace crossbind::tasks
