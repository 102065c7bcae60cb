
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/candidate.h"
#include "app/resources.h"
#include "app/workplace.h"
#include "cli/checkup_report.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "trial/device.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  std::string binding;
  std::vector<std::string> command;
  std::string device;  // empty: the processor, where the worker has it
  int patience = 60;   // seconds
  bool json = false;
};

Result<int> check(const Options& options) {
  const auto machine = app::this_machine();
  CB_ASSIGN(auto found,
            options.binding.empty() ? app::find_program(options.command)
                                    : app::find_candidate_named(options.binding, machine.workers));
  found.candidate.device = options.device;
  CB_ASSIGN(const auto workplace, app::Workplace::open(machine, "check"));
  const checkup::Facilities facilities{workplace->launcher(),
                                       machine.models,
                                       workplace->scratch(),
                                       std::chrono::seconds(options.patience)};
  const auto show = [&](const checkup::Finding& finding) {
    if (!options.json) {
      std::fputs(finding_text(finding).c_str(), stdout);
      std::fflush(stdout);  // a check may take seconds
    }
  };
  const auto findings = checkup::examine(found.candidate, facilities, show);
  std::fputs((options.json ? findings_json(findings) : "\n" + findings_summary(findings)).c_str(),
             stdout);
  const bool is_right = std::ranges::none_of(
      findings, [](const auto& finding) { return finding.mark == checkup::Mark::kWrong; });
  return is_right ? kSuccess : kFailure;
}

}  // namespace

void add_worker_command(Command& program) {
  Command group = program.subcommand("worker", "For those who write a worker");
  group.needs_subcommand();
  group.footer(
      "Example: crossbind worker check -- python3 worker.py\n"
      "Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.");
  Command command =
      group.subcommand("check", "Speak the protocol with a worker and say what it gets wrong");
  const auto options = std::make_shared<Options>();
  command.option("--binding", options->binding, "A binding that is set up: 'crossbind doctor'");
  command.option("COMMAND",
                 options->command,
                 "After --: a program and its arguments; a "
                 "worker.toml in this folder is compared with it");
  command.option("--device", options->device, "Without, cpu where the worker has it")
      .one_of(trial::all_devices());
  command.option("--patience", options->patience, "Seconds to wait for any one answer")
      .shows_default()
      .between(1, 3600);
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  crossbind worker check --binding reference/cpp\n"
      "  crossbind worker check -- python3 worker.py\n"
      "  crossbind worker check --binding pytorch/cpp --device cuda\n"
      "Needs no data set: the model, its weights and its data are made up.\n"
      "Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.");
  command.runs([options] { return check(*options); },
               [options, command] {
                 if (!command.after_dashes().empty()) {
                   options->command = command.after_dashes();
                 }
                 return options->binding.empty() == options->command.empty()
                            ? "pass either --binding BINDING or -- COMMAND ARGUMENTS"
                            : "";
               });
}

}  // namespace crossbind::cli
