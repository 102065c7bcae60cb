#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/cache.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/curves_table.h"
#include "cli/plan_report.h"
#include "cli/resources.h"
#include "cli/results_table.h"
#include "cli/run_display.h"
#include "cli/study_facts.h"
#include "cli/study_options.h"
#include "cli/version.h"
#include "run/host.h"
#include "run/process_worker.h"
#include "run/study_runner.h"
#include "store/sqlite_store.h"
#include "workers/start.h"

namespace crossbind::cli {
namespace {

constexpr int kSomeFailed = 3;
constexpr int kInterrupted = 130;  // as shells have it: 128 + SIGINT

// What the command line says; lives as long as the closure that reads it.
struct Options {
  PlanOptions plan;
  size_t jobs = 1;
  bool tcp = false;
};

// A signal handler can reach nothing but globals.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
run::StopSignal* to_raise = nullptr;

void on_signal(int /*number*/) {
  to_raise->raise();
}

// While it lives, Ctrl-C and SIGTERM raise the signal instead of ending the program.
class SignalScope {
 public:
  explicit SignalScope(run::StopSignal& stop) {
    to_raise = &stop;
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
    to_raise = nullptr;
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

// How the workers of the bindings that run are started.
struct Starts {
  std::map<std::string, run::WorkerCommand> commands;
  std::map<std::string, trial::Capabilities> capabilities;
  std::vector<workers::FileLock> locks;  // no setup removes them meanwhile
};

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

store::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

size_t count_of(const plan::Plan& plan, plan::Decision decision) {
  return static_cast<size_t>(std::ranges::count(plan.trials, decision, &plan::Trial::decision));
}

Status print_results(const store::ResultStore& store,
                     const StudyOnMachine& found,
                     const plan::Plan& plan) {
  std::unordered_set<std::string> identities;
  for (const plan::Trial& trial : plan.trials) {
    identities.insert(trial.id.to_string());
  }
  const auto id = store::id_of({found.study.name, found.text});
  CB_ASSIGN(const std::string curves, curves_table(store, id, identities));
  CB_ASSIGN(const std::string costs, results_table(store, id, identities));
  if (!curves.empty()) {
    fmt::print("\nTraining: loss and test accuracy after each epoch\n{}\nCosts\n", curves);
  }
  fmt::print("{}", costs);
  return {};
}

// What a person wants to know at the end, and the exit code.
int conclude(const run::RunSummary& summary, const plan::Plan& plan, const Options& options) {
  const size_t failed_before = count_of(plan, plan::Decision::kFailed);
  const size_t unavailable = count_of(plan, plan::Decision::kUnavailable);
  fmt::print("\n{} done, {} failed, {} unsupported now; {} were done before. Kept in {}\n",
             summary.done,
             summary.failed,
             summary.unsupported,
             count_of(plan, plan::Decision::kDone),
             options.plan.store);
  if (failed_before > 0) {
    fmt::print("{} failed before: --retry-failed runs them again.\n", failed_before);
  }
  if (unavailable + summary.not_run > 0) {
    fmt::print("{} could not run: crossbind plan {} --store {} --explain says why.\n",
               unavailable + summary.not_run,
               options.plan.study,
               options.plan.store);
  }
  const bool is_complete = summary.failed + failed_before + unavailable + summary.not_run == 0;
  return is_complete ? kSuccess : kSomeFailed;
}

Result<run::RunSummary> execute(const StudyOnMachine& found,
                                const plan::Plan& plan,
                                store::ResultStore& store,
                                const run::StopSignal& stop,
                                const Options& options) {
  CB_ASSIGN(const Starts starts, starts_of(found.bindings));
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "run"));
  run::ProcessLauncher launcher(
      {.guard = worker_places().guard,
       .version = kVersion,
       .scratch = scratch.path(),
       .endpoint = options.tcp ? run::EndpointKind::kTcp : run::EndpointKind::kUnix});
  run::Materials materials(scratch.path(), cache_directory());
  RunDisplay display(run::trials_to_run(plan), options.jobs);
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
      run::run_study(context, {options.jobs, found.text, run::describe_host(kVersion), now});
  display.close();
  return summary;
}

Result<store::SqliteStore> open_store(const Options& options) {
  return store::SqliteStore::open(options.plan.store, store::Access::kReadWrite);
}

Result<int> run_study(const Options& options) {
  CB_ASSIGN(StudyOnMachine found, look_up_study(options.plan, MissingData::kGenerate));
  // A study that cannot be planned leaves no store behind.
  std::optional<store::SqliteStore> store;
  if (std::filesystem::exists(options.plan.store)) {
    CB_ASSIGN(store, open_store(options));
    CB_TRY(add_past(*store, found.facts));
  }
  CB_ASSIGN(const plan::Plan plan, plan::make_plan(found.study, found.facts));
  if (!store) {
    CB_ASSIGN(store, open_store(options));
  }
  // Only now is there something to end in order.
  run::StopSignal stop;
  const SignalScope signals(stop);
  CB_ASSIGN(const run::RunSummary summary, execute(found, plan, *store, stop, options));
  CB_TRY(print_results(*store, found, plan));
  if (stop.is_raised()) {
    fmt::print("\nInterrupted: {} trials are stored in {}; the same command goes on.\n",
               summary.done + summary.failed + summary.unsupported,
               options.plan.store);
    return kInterrupted;
  }
  return conclude(summary, plan, options);
}

}  // namespace

void add_run_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("run", "Run the trials of a study; goes on where it ended");
  const auto options = std::make_shared<Options>();
  add_study_options(*command, options->plan);
  command->add_option("--jobs", options->jobs, "Trials at a time, each on processors of its own")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_flag("--tcp", options->tcp, "Speak to workers over TCP instead of a Unix socket");
  command->footer(
      "Example:     crossbind run quick\n"
      "             crossbind run my.toml --store my.db --only binding=reference/*\n"
      "Ctrl-C ends in order, with everything done stored; a second one kills at once.\n"
      "Exit codes:  0 all done, 1 failed, 2 wrong usage, 3 some trials failed or could not run,\n"
      "             130 interrupted.");
  command->callback(
      [options, &invocation] { invocation.action = [options] { return run_study(*options); }; });
}

}  // namespace crossbind::cli
