// A study run on this machine: planned with what a store knows, its trials run, what came of them
// kept in the store. Progress is a watch's and printing the command's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/resources.h"
#include "app/study_facts.h"
#include "base/error.h"
#include "plan/plan.h"
#include "run/study_runner.h"
#include "store/result_store.h"

namespace crossbind::app {

[[nodiscard]] store::Time now();

// A study that can be run: what is to be done about each trial, and where results go.
struct PlannedStudy {
  plan::Plan plan;
  std::unique_ptr<store::ResultStore> store;
};

// A study that cannot be planned leaves no store behind. `found` gets what the store knows.
[[nodiscard]] Result<PlannedStudy> plan_in_store(StudyOnMachine& found,
                                                 const std::string& store_place,
                                                 const Machine& machine);

// The plan alone: what is there is only read, and no store is made.
[[nodiscard]] Result<plan::Plan> plan_by_store(StudyOnMachine& found,
                                               const std::string& store_place,
                                               const Machine& machine);

struct RunManner {
  size_t jobs = 1;   // trials at a time
  bool tcp = false;  // workers are spoken to over TCP instead of a Unix socket
};

// Trials that fail are results, as those are that `stop` left out.
[[nodiscard]] Result<run::RunSummary> run_planned(const StudyOnMachine& found,
                                                  const PlannedStudy& planned,
                                                  const RunManner& manner,
                                                  const Machine& machine,
                                                  const process::StopSignal& stop,
                                                  run::RunWatch& watch);

// What a plan and its run come to together.
struct RunBalance {
  size_t done_before = 0;
  size_t failed_before = 0;  // and not tried again
  size_t could_not_run = 0;  // something is missing on this machine, or its training gave nothing
  bool is_complete = false;  // nothing failed, now or before, and nothing could not run
};
[[nodiscard]] RunBalance balance_of(const run::RunSummary& summary, const plan::Plan& plan);

}  // namespace crossbind::app
