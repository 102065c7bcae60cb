
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/features.h"
#include "app/resources.h"
#include "cli/bindings_report.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/features_report.h"

namespace crossbind::cli {
namespace {

struct Options {
  std::vector<std::string> patterns;
  bool features = false;
  bool json = false;
};

Result<int> doctor(const Options& options) {
  const auto machine = app::this_machine();
  CB_ASSIGN(const auto all, workers::list_bindings(machine.workers));
  auto bindings = all;
  if (!options.patterns.empty()) {
    CB_ASSIGN(bindings, workers::select(all, options.patterns));
  }
  bool is_well = true;
  if (options.features) {
    CB_ASSIGN(const auto tried,
              app::try_features_of(bindings, all, machine, [](const std::string& binding) {
                fmt::print(stderr, "trying {}\n", binding);
              }));
    std::fputs((options.json ? features_json(tried) : features_table(tried)).c_str(), stdout);
    is_well = !app::any_fails(tried);
  } else {
    std::fputs((options.json ? bindings_json(bindings, machine.workers) : bindings_table(bindings))
                   .c_str(),
               stdout);
  }
  const bool all_ready = std::ranges::all_of(
      bindings, [](const auto& binding) { return binding.state == workers::State::kReady; });
  return is_well && (options.patterns.empty() || all_ready) ? kSuccess : kFailure;
}

}  // namespace

void add_doctor_command(Command& program) {
  const auto options = std::make_shared<Options>();
  Command command =
      program.subcommand("doctor", "Which bindings are ready, what is missing, how to get it");
  command.option(
      "BINDING", options->patterns, "Only these, all of which must be ready; * and ? are patterns");
  command.flag("--features",
               options->features,
               "Try what each binding claims: training, families of networks, ways to load");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  crossbind doctor\n"
      "  crossbind doctor 'pytorch/*' --json\n"
      "  crossbind doctor --features\n"
      "Exit codes: 0 done, 1 a binding that was named is not ready or one fails at what it "
      "claims,\n"
      "            2 wrong usage.");
  command.runs([options] { return doctor(*options); });
}

}  // namespace crossbind::cli
