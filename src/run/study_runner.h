// Runs the trials of a plan, in their order, several at a time where that is wanted, and stores
// each as it ends. What it does is said to a RunWatch; how that looks is the program's business.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "converse/launcher.h"
#include "plan/plan.h"
#include "process/stop_signal.h"
#include "run/materials.h"
#include "run/trial_runner.h"
#include "spec/study.h"
#include "store/result_store.h"

namespace crossbind::run {

// Told of what happens, by one thread at a time.
class RunWatch {
 public:
  virtual ~RunWatch() = default;

  // lane: which of the trials that run at the same time, from 0. number: from 1.
  virtual void begins(size_t lane, size_t number, const store::Axes& axes) = 0;
  virtual void goes_on(size_t lane, const tasks::Progress& progress) = 0;
  virtual void ends(size_t lane, size_t number, const store::TrialSummary& trial) = 0;
  virtual void is_interrupted(size_t lane) = 0;
};

struct RunSummary {
  size_t done = 0;
  size_t unsupported = 0;
  size_t failed = 0;
  size_t not_run = 0;  // its training did not give the parameters it needs, or it was interrupted
};

struct RunOptions {
  size_t jobs = 1;
  std::string study_text;  // the study file, for the store
  store::Environment host;
  Clock clock;
};

// What a run needs beside the plan. All must outlive it.
struct RunContext {
  const spec::Study& study;
  const plan::Plan& plan;
  const std::map<std::string, process::Program>& commands;  // of the bindings that run
  const std::map<std::string, trial::Capabilities>& capabilities;
  store::ResultStore& store;
  converse::Launcher& launcher;
  Materials& materials;
  const process::StopSignal& stop;
  RunWatch& watch;
};

// Fails when the store does; trials that fail are results.
[[nodiscard]] Result<RunSummary> run_study(const RunContext& context, const RunOptions& options);

[[nodiscard]] size_t trials_to_run(const plan::Plan& plan);

}  // namespace crossbind::run
