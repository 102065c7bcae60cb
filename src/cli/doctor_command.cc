#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "cli/bindings_report.h"
#include "cli/commands.h"
#include "cli/resources.h"

namespace crossbind::cli {
namespace {

Result<int> doctor(const std::vector<std::string>& patterns, bool json) {
  const auto places = worker_places();
  CB_ASSIGN(auto bindings, workers::list_bindings(places));
  if (!patterns.empty()) {
    CB_ASSIGN(bindings, workers::select(bindings, patterns));
  }
  std::fputs((json ? bindings_json(bindings, places) : bindings_table(bindings)).c_str(), stdout);
  const bool all_ready = std::ranges::all_of(
      bindings, [](const auto& binding) { return binding.state == workers::State::kReady; });
  return patterns.empty() || all_ready ? kSuccess : kFailure;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("doctor", "Which bindings are ready, what is missing, how to get it");
  const CLI::Option* names =
      command->add_option("BINDING", "Only these, all of which must be ready; * and ? are patterns")
          ->expected(0, -1)
          ->allow_extra_args();
  const CLI::Option* json = command->add_flag("--json")->description("Print JSON");
  command->footer(
      "Examples:\n"
      "  crossbind doctor\n"
      "  crossbind doctor 'pytorch/*' --json\n"
      "Exit codes: 0 done, 1 a binding that was named is not ready, 2 wrong usage.");
  command->callback([=, &invocation] {
    invocation.action = [patterns = names->results(), as_json = json->count() > 0] {
      return doctor(patterns, as_json);
    };
  });
}

}  // namespace crossbind::cli
