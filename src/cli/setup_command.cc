#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "app/resources.h"
#include "app/setups.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/setup_line.h"

namespace crossbind::cli {
namespace {

struct Options {
  std::vector<std::string> patterns;
  bool all = false;
};

void print(const workers::Binding& binding, const Result<workers::SetupReport>& came_of_it) {
  if (!came_of_it) {
    std::fputs(fmt::format("crossbind: {}\n", came_of_it.error().to_string()).c_str(), stderr);
    return;
  }
  fmt::print("{}: {}\n", binding.name, came_of_it->was_ready ? "was ready" : "is ready");
  for (const auto& path : came_of_it->removed) {
    fmt::print("  removed {}, made from earlier sources\n", path.string());
  }
  std::fflush(stdout);  // before whatever the next setup writes to the other stream
}

Result<int> set_up(const std::vector<std::string>& patterns) {
  SetupLine line;
  CB_ASSIGN(const auto counts, app::set_up_all(patterns, app::worker_places(), line, print));
  std::vector<std::string> summary = {fmt::format("{} ready", counts.ready)};
  if (counts.failed > 0) {
    summary.push_back(fmt::format("{} failed", counts.failed));
  }
  if (counts.without_worker > 0) {
    summary.push_back(fmt::format("{} without a worker", counts.without_worker));
  }
  fmt::print("{}\n", fmt::join(summary, ", "));
  return counts.failed == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_setup_command(Command& program) {
  const auto options = std::make_shared<Options>();
  Command command = program.subcommand("setup", "Install what bindings need, into the cache");
  command.option(
      "BINDING", options->patterns, "Which; * and ? are patterns. See 'crossbind doctor'");
  command.flag("--all", options->all, "Every one that has a worker");
  command.footer(
      "Examples:\n"
      "  crossbind setup reference/python\n"
      "  crossbind setup 'pytorch/*'\n"
      "Exit codes: 0 all are ready, 1 one failed (the others were set up), 2 wrong usage.");
  command.runs(
      [options] {
        return set_up(options->all ? std::vector<std::string>{"*"} : options->patterns);
      },
      [options] {
        return options->patterns.empty() == options->all
                   ? ""
                   : "name bindings, or pass --all; 'crossbind doctor' shows which there are";
      });
}

}  // namespace crossbind::cli
