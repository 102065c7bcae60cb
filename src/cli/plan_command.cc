
#include <cstdio>
#include <memory>

#include "app/resources.h"
#include "app/study_facts.h"
#include "app/study_run.h"
#include "base/progress.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/plan_report.h"
#include "cli/study_options.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  app::PlanOptions plan;
  bool explain = false;
  bool json = false;
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Result<int> run_plan(const Options& options) {
  const auto machine = app::this_machine();
  SilentProgress silence;
  CB_ASSIGN(auto found,
            app::look_up_study(options.plan, app::MissingData::kLeave, machine, silence));
  CB_ASSIGN(const auto plan, app::plan_by_store(found, options.plan.store, machine));
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
