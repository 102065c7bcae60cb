#include <cstdio>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/curves_table.h"
#include "cli/results_table.h"
#include "cli/signal_scope.h"
#include "cli/study_options.h"
#include "cli/study_run.h"

namespace crossbind::cli {
namespace {

constexpr int kSomeFailed = 3;

// What the command line says; lives as long as the closure that reads it.
struct Options {
  PlanOptions plan;
  uint64_t jobs = 1;
  bool tcp = false;
};

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

Result<int> run_study(const Options& options) {
  CB_ASSIGN(StudyOnMachine found, look_up_study(options.plan, MissingData::kGenerate));
  CB_ASSIGN(const FinishedRun finished,
            run_on_machine(found, {options.plan.store, options.jobs, options.tcp}));
  CB_TRY(print_results(finished.store, found, finished.plan));
  const run::RunSummary& summary = finished.summary;
  if (finished.was_interrupted) {
    fmt::print("\nInterrupted: {} trials are stored in {}; the same command goes on.\n",
               summary.done + summary.failed + summary.unsupported,
               options.plan.store);
    return kInterrupted;
  }
  return conclude(summary, finished.plan, options);
}

}  // namespace

void add_run_command(Command& program) {
  Command command = program.subcommand("run", "Run the trials of a study; goes on where it ended");
  const auto options = std::make_shared<Options>();
  add_study_options(command, options->plan);
  command.option("--jobs", options->jobs, "Trials at a time, each on processors of its own")
      .shows_default()
      .between(1, 1024);
  command.flag("--tcp", options->tcp, "Speak to workers over TCP instead of a Unix socket");
  command.footer(
      "Example:     crossbind run quick\n"
      "             crossbind run my.toml --store my.db --only 'binding=reference/*'\n"
      "Ctrl-C ends in order, with everything done stored; a second one kills at once.\n"
      "Exit codes:  0 all done, 1 failed, 2 wrong usage, 3 some trials failed or could not run,\n"
      "             130 interrupted.");
  command.runs([options] { return run_study(*options); });
}

}  // namespace crossbind::cli
