
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/plan_report.h"
#include "cli/study_facts.h"
#include "cli/study_options.h"
#include "store/sqlite_store.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  PlanOptions plan;
  bool explain = false;
  bool json = false;
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Result<int> run_plan(const Options& options) {
  CB_ASSIGN(StudyOnMachine found, look_up_study(options.plan, MissingData::kLeave));
  if (std::filesystem::exists(options.plan.store)) {
    CB_ASSIGN(const auto store,
              store::SqliteStore::open(options.plan.store, store::Access::kReadOnly));
    CB_TRY(add_past(store, found.facts));
  }
  CB_ASSIGN(const plan::Plan plan, plan::make_plan(found.study, found.facts));
  const auto estimated = plan::estimate(found.study, found.facts, plan);
  if (options.json) {
    plan_json(found.study, plan, estimated, print);
    return kSuccess;
  }
  if (options.explain) {
    explain_plan(found.study, plan, print);
    print("\n");
  }
  print(plan_summary(found.study, plan, estimated));
  return kSuccess;
}

}  // namespace

void add_plan_command(Command& program) {
  Command command = program.subcommand("plan", "Show the trials of a study without running them");
  const auto options = std::make_shared<Options>();
  add_study_options(command, options->plan);
  command.flag("--explain", options->explain, "Every trial, in order, with its reason");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example:  crossbind plan quick --explain\n"
      "          crossbind plan my.toml --only 'model=lenet*' --only seed=1\n"
      "Exit codes: 0 planned, whatever can run, 1 failed, 2 wrong usage.");
  command.runs([options] { return run_plan(*options); });
}

}  // namespace crossbind::cli
