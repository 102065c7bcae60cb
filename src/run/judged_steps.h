// Training steps that a worker takes apart and the referee judges, each from what the worker came
// to in the one before. No two workers are compared: that is conform's.
#pragma once

#include <filesystem>

#include "model/model.h"
#include "run/dialogue.h"
#include "run/trial_job.h"
#include "store/record.h"

namespace crossbind::run {

inline constexpr int64_t kJudgedSteps = 3;

// Of a worker that is prepared. The steps are on the first batches of the first epoch, with dropout
// off, up to the first that diverges. `built` is the model with the forms that the binding has.
//
// The record gets a series for each kind of value ("judge.forward", "judge.gradient",
// "judge.update", "judge.state"): the largest error of each step, in units in which 1 is the bound.
// The fact "verdict" is "within rounding", or "diverges" and "verdict.where" says where.
[[nodiscard]] Step<void> judge_steps(Dialogue& dialogue,
                                     const TrialJob& job,
                                     const model::Model& built,
                                     const std::filesystem::path& directory,
                                     store::TrialRecord& record);

}  // namespace crossbind::run
