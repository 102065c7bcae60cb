#include <cstdio>
#include <memory>

#include "app/resources.h"
#include "app/study_facts.h"
#include "app/study_run.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/curves_table.h"
#include "cli/displayed_run.h"
#include "cli/results_table.h"
#include "cli/study_options.h"

namespace crossbind::cli {
namespace {

constexpr int kSomeFailed = 3;

// What the command line says; lives as long as the closure that reads it.
struct Options {
  app::PlanOptions plan;
  uint64_t jobs = 1;
  bool tcp = false;
};

Status print_results(const store::StoreReader& store,
                     const app::StudyOnMachine& found,
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

// What a person wants to know at the end.
void print_balance(const run::RunSummary& summary,
                   const app::RunBalance& balance,
                   const app::PlanOptions& options) {
  fmt::print("\n{} done, {} failed, {} unsupported now; {} were done before. Kept in {}\n",
             summary.done,
             summary.failed,
             summary.unsupported,
             balance.done_before,
             options.store);
  if (balance.failed_before > 0) {
    fmt::print("{} failed before: --retry-failed runs them again.\n", balance.failed_before);
  }
  if (balance.could_not_run > 0) {
    fmt::print("{} could not run: crossbind plan {} --store {} --explain says why.\n",
               balance.could_not_run,
               options.study,
               options.store);
  }
}

Result<int> run_study(const Options& options) {
  const auto machine = app::this_machine();
  TerminalProgress progress;
  CB_ASSIGN(auto found,
            app::look_up_study(options.plan, app::MissingData::kGenerate, machine, progress));
  CB_ASSIGN(const auto ran,
            run_with_display(found, options.plan.store, {options.jobs, options.tcp}, machine));
  const auto& [planned, summary, was_interrupted] = ran;
  CB_TRY(print_results(*planned.store, found, planned.plan));
  if (was_interrupted) {
    const size_t stored = summary.done + summary.failed + summary.unsupported;
    fmt::print("\nInterrupted: {} {} stored in {}; the same command goes on.\n",
               stored,
               plural(stored, "trial is", "trials are"),
               options.plan.store);
    return kInterrupted;
  }
  const auto balance = app::balance_of(summary, planned.plan);
  print_balance(summary, balance, options.plan);
  return balance.is_complete ? kSuccess : kSomeFailed;
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
