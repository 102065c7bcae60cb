#include "cli/study_run.h"

#include <algorithm>
#include <iterator>

#include "base/cache.h"
#include "base/file.h"
#include "cli/resources.h"
#include "cli/run_display.h"
#include "cli/signal_scope.h"
#include "cli/version.h"
#include "run/host.h"
#include "run/process_worker.h"
#include "workers/start.h"

namespace crossbind::cli {
namespace {

Result<run::RunSummary> execute(const StudyOnMachine& found,
                                const plan::Plan& plan,
                                store::ResultStore& store,
                                const run::StopSignal& stop,
                                const RunPlace& place) {
  CB_ASSIGN(const Starts starts, starts_of(found.bindings));
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "run"));
  run::ProcessLauncher launcher(
      {.guard = worker_places().guard,
       .version = kVersion,
       .scratch = scratch.path(),
       .endpoint = place.tcp ? run::EndpointKind::kTcp : run::EndpointKind::kUnix});
  run::Materials materials(scratch.path(), cache_directory());
  RunDisplay display(run::trials_to_run(plan), place.jobs);
  const run::RunContext context{found.study,
                                plan,
                                starts.commands,
                                starts.capabilities,
                                store,
                                launcher,
                                materials,
                                stop,
                                display};
  auto summary =
      run::run_study(context, {place.jobs, found.text, run::describe_host(kVersion), now});
  display.close();
  return summary;
}

Result<store::SqliteStore> open_store(const std::string& path) {
  return store::SqliteStore::open(path, store::Access::kReadWrite);
}

}  // namespace

Result<Starts> starts_of(const std::vector<workers::Binding>& bindings) {
  Starts starts;
  for (const auto& binding : bindings) {
    if (binding.state != workers::State::kReady) {
      continue;
    }
    CB_ASSIGN(auto start, workers::start_command(binding, worker_places()));
    starts.commands[binding.name] = {start.arguments, start.directory, start.environment};
    starts.capabilities[binding.name] = binding.manifest->capabilities;
    std::ranges::move(start.locks, std::back_inserter(starts.locks));
  }
  return starts;
}

Result<std::vector<workers::Binding>> ready_bindings(const std::vector<workers::Binding>& all,
                                                     const std::vector<std::string>& patterns) {
  auto bindings = all;
  if (!patterns.empty()) {
    CB_ASSIGN(bindings, workers::select(all, patterns));
  }
  for (const auto& binding : bindings) {
    if (binding.state != workers::State::kReady &&
        std::ranges::find(patterns, binding.name) != patterns.end()) {
      return tl::unexpected(Error{ErrorKind::kUnavailable,
                                  fmt::format("{} is not ready: {}", binding.name, binding.reason),
                                  {},
                                  binding.command.empty() ? "" : "Try: " + binding.command});
    }
  }
  std::erase_if(bindings,
                [](const auto& binding) { return binding.state != workers::State::kReady; });
  return bindings;
}

store::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Result<FinishedRun> run_on_machine(StudyOnMachine& found, const RunPlace& place) {
  std::optional<store::SqliteStore> store;
  if (std::filesystem::exists(place.store)) {
    CB_ASSIGN(store, open_store(place.store));
    CB_TRY(add_past(*store, found.facts));
  }
  CB_ASSIGN(plan::Plan plan, plan::make_plan(found.study, found.facts));
  if (!store) {
    CB_ASSIGN(store, open_store(place.store));
  }
  // Only now is there something to end in order.
  run::StopSignal stop;
  const SignalScope signals(stop);
  CB_ASSIGN(const run::RunSummary summary, execute(found, plan, *store, stop, place));
  return FinishedRun{std::move(*store), std::move(plan), summary, stop.is_raised()};
}

}  // namespace crossbind::cli
