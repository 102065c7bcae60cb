
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/cache.h"
#include "base/file.h"
#include "cli/candidate.h"
#include "cli/checkup_report.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/resources.h"

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

Result<FoundCandidate> find_binding(const std::string& name) {
  CB_ASSIGN(const auto bindings, workers::list_bindings(worker_places()));
  CB_ASSIGN(const auto selected, workers::select(bindings, {name}));
  if (selected.size() != 1) {
    return fail(ErrorKind::kInvalid, "{:?} means {} bindings; name one", name, selected.size());
  }
  return find_candidate(selected.front(), bindings);
}

Result<int> check(const Options& options) {
  CB_ASSIGN(
      FoundCandidate found,
      options.binding.empty() ? find_program(options.command) : find_binding(options.binding));
  found.candidate.device = options.device;
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "check"));
  const auto place = checkup_place(scratch.path(), std::chrono::seconds(options.patience));
  const auto show = [&](const checkup::Finding& finding) {
    if (!options.json) {
      std::fputs(finding_text(finding).c_str(), stdout);
      std::fflush(stdout);  // a check may take seconds
    }
  };
  const auto findings = checkup::examine(found.candidate, place, show);
  std::fputs((options.json ? findings_json(findings) : "\n" + findings_summary(findings)).c_str(),
             stdout);
  const bool is_right = std::ranges::none_of(
      findings, [](const auto& finding) { return finding.verdict == checkup::Verdict::kWrong; });
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
  command.option("--device", options->device, "cpu or cuda; without, cpu where the worker has it")
      .one_of({"cpu", "cuda"});
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
