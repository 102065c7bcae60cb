// Runs one trial in a fresh worker and makes a record of what came of it. Whatever goes wrong is in
// the record; only an interruption leaves none.
#pragma once

#include <functional>
#include <optional>

#include "run/stop_signal.h"
#include "run/trial_job.h"
#include "run/worker.h"
#include "store/record.h"

namespace crossbind::run {

struct TrialProgress {
  int64_t epoch = 0;
  int64_t epochs = 0;
  int64_t step = 0;
  int64_t steps = 0;  // of this epoch; 0: not known
};
using OnProgress = std::function<void(const TrialProgress&)>;

// Now, as records have it.
using Clock = std::function<store::Time()>;

[[nodiscard]] std::optional<store::TrialRecord> run_trial(const TrialJob& job,
                                                          WorkerLauncher& launcher,
                                                          const StopSignal& stop,
                                                          const Clock& clock,
                                                          const OnProgress& on_progress);

// The record of a trial before anything has happened: axes and requested settings.
[[nodiscard]] store::TrialRecord blank_record(const TrialJob& job, store::Time started);

}  // namespace crossbind::run
