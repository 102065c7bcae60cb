// A study run from the command line: planned with what a store knows, run with progress on stderr,
// ended in order by Ctrl-C. What came of it is in the store; saying it is the command's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/study_facts.h"
#include "plan/plan.h"
#include "run/study_runner.h"
#include "store/sqlite_store.h"
#include "workers/file_lock.h"

namespace crossbind::cli {

// How the workers of the bindings that are ready are started.
struct Starts {
  std::map<std::string, run::WorkerCommand> commands;
  std::map<std::string, trial::Capabilities> capabilities;
  std::vector<workers::FileLock> locks;  // no setup removes them meanwhile
};
[[nodiscard]] Result<Starts> starts_of(const std::vector<workers::Binding>& bindings);

// Those that the patterns match and that are ready; no pattern matches all. One that is named in
// full must be ready: the error says what to do.
[[nodiscard]] Result<std::vector<workers::Binding>> ready_bindings(
    const std::vector<workers::Binding>& all, const std::vector<std::string>& patterns);

[[nodiscard]] store::Time now();

struct RunPlace {
  std::string store;
  size_t jobs = 1;
  bool tcp = false;
};

struct FinishedRun {
  store::SqliteStore store;
  plan::Plan plan;
  run::RunSummary summary;
  bool was_interrupted = false;
};

// A study that cannot be planned leaves no store behind. `found` gets what the store knows.
[[nodiscard]] Result<FinishedRun> run_on_machine(StudyOnMachine& found, const RunPlace& place);

}  // namespace crossbind::cli
