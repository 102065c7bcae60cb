#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/resources.h"
#include "cli/setup_line.h"
#include "workers/setup.h"

namespace crossbind::cli {
namespace {

using workers::Binding;

struct Options {
  std::vector<std::string> patterns;
  bool all = false;
};

struct Counts {
  int ready = 0;
  int failed = 0;
  int without_worker = 0;
};

bool set_up_one(const Binding& binding, const workers::Places& places) {
  SetupLine line;
  const auto report = workers::set_up(binding, places, line);
  if (!report) {
    std::fputs(fmt::format("crossbind: {}\n", report.error().to_string()).c_str(), stderr);
    return false;
  }
  std::fputs(
      fmt::format("{}: {}\n", binding.name, report->was_ready ? "was ready" : "is ready").c_str(),
      stdout);
  for (const auto& path : report->removed) {
    std::fputs(fmt::format("  removed {}, made from earlier sources\n", path.string()).c_str(),
               stdout);
  }
  std::fflush(stdout);  // before whatever the next setup writes to the other stream
  return true;
}

Result<int> set_up(const std::vector<std::string>& patterns) {
  const auto places = worker_places();
  CB_ASSIGN(const auto all, workers::list_bindings(places));
  CB_ASSIGN(const auto bindings, workers::select(all, patterns));
  Counts counts;
  for (const Binding& binding : bindings) {
    // One that only a pattern names cannot have been meant.
    const bool named = std::ranges::find(patterns, binding.name) != patterns.end();
    if (binding.state == workers::State::kNoWorker && !named) {
      ++counts.without_worker;
    } else if (set_up_one(binding, places)) {
      ++counts.ready;
    } else {
      ++counts.failed;
    }
  }
  std::vector<std::string> summary = {fmt::format("{} ready", counts.ready)};
  if (counts.failed > 0) {
    summary.push_back(fmt::format("{} failed", counts.failed));
  }
  if (counts.without_worker > 0) {
    summary.push_back(fmt::format("{} without a worker", counts.without_worker));
  }
  std::fputs(fmt::format("{}\n", fmt::join(summary, ", ")).c_str(), stdout);
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
