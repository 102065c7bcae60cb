// Runs one trial in a fresh worker and makes a record of what came of it. Whatever goes wrong is in
// the record; only an interruption leaves none.
#pragma once

#include <functional>
#include <optional>

#include "converse/launcher.h"
#include "process/stop_signal.h"
#include "run/trial_job.h"
#include "store/record.h"
#include "tasks/conduct.h"

namespace crossbind::run {

// Now, as records have it.
using Clock = std::function<store::Time()>;

[[nodiscard]] std::optional<store::TrialRecord> run_trial(const TrialJob& job,
                                                          converse::Launcher& launcher,
                                                          const process::StopSignal& stop,
                                                          const Clock& clock,
                                                          const tasks::OnProgress& on_progress);

// The record of a trial before anything has happened: axes and requested settings.
[[nodiscard]] store::TrialRecord blank_record(const TrialJob& job, store::Time started);

}  // namespace crossbind::run
