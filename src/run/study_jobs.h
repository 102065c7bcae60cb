// What the runner makes of a plan's trial: the job for a worker, with its files, and, where the
// model is to come as a file, the job for the worker that writes it.
#pragma once

#include <vector>

#include "base/error.h"
#include "converse/serialized_models.h"
#include "plan/plan.h"
#include "run/study_runner.h"
#include "run/trial_job.h"

namespace crossbind::run {

[[nodiscard]] store::Axes axes_of(const RunContext& context, const plan::Trial& trial);

// Fails when a file that the trial needs is missing. cpus: where its worker may run.
[[nodiscard]] Result<TrialJob> job_of(const RunContext& context,
                                      const plan::Trial& trial,
                                      const std::vector<int>& cpus);

[[nodiscard]] converse::SerializeJob serialize_job_of(const RunContext& context,
                                                      const plan::Trial& trial,
                                                      const TrialJob& job);

}  // namespace crossbind::run
