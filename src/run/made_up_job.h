// A trial for tests, ready to run.
#pragma once

#include <filesystem>

#include "run/trial_job.h"

namespace crossbind::run {

// Two epochs of lenet1 on 20 samples in batches of 8; the files of its data are not there.
[[nodiscard]] TrialJob made_up_job(const model::Model& model,
                                   trial::Task task,
                                   const std::filesystem::path& scratch);

}  // namespace crossbind::run
