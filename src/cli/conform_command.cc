#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/conform_request.h"
#include "app/kept_verdicts.h"
#include "app/resources.h"
#include "app/signal_scope.h"
#include "app/study_run.h"
#include "app/workplace.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/conform_report.h"
#include "store/open.h"
#include "trial/device.h"

namespace crossbind::cli {
namespace {

constexpr int kCouldNotRun = 3;

// What the command line says; lives as long as the closure that reads it.
struct Options {
  app::ConformRequest request;
  std::string seeds = "1";
  bool json = false;
  std::filesystem::path junit;  // empty: none
  std::string store;            // where verdicts are kept; empty: nowhere
};

// A bar on a terminal, lines elsewhere.
class Display {
 public:
  explicit Display(size_t verdicts) {
    if (bar_.is_interactive()) {
      bar_.begin("conform", verdicts, "verdicts");
    }
  }
  void show(const conform::Verdict& verdict) {
    ++done_;
    if (bar_.is_interactive()) {
      bar_.advance(done_);
    } else {
      fmt::print(stderr, "{}\n", verdict_line(verdict));
    }
  }
  void close() {
    if (bar_.is_interactive()) {
      bar_.clear();
    }
  }

 private:
  TerminalProgress bar_;
  uint64_t done_ = 0;
};

// The words behind "--" are a program, not bindings. What does not go together; or "".
std::string settle(Options& options, const std::vector<std::string>& after_dashes) {
  auto& request = options.request;
  request.program = after_dashes;
  if (!request.bindings.empty() && !request.program.empty()) {
    return "pass either BINDING or -- COMMAND ARGUMENTS";
  }
  if (!request.replay.empty() && !(request.models.empty() && request.shrink.empty())) {
    return "--replay takes a model of its own, and shrinks nothing";
  }
  if (!request.replay.empty() && !options.store.empty()) {
    return "--replay takes one step, which is no verdict to --store";
  }
  const bool seeds_are_numbers =
      !options.seeds.empty() && options.seeds.find_first_not_of("0123456789,") == std::string::npos;
  return seeds_are_numbers ? "" : "--seeds takes numbers like 1,2,3";
}

int exit_code(const conform::Conformance& report) {
  const auto any = [&](conform::Outcome outcome) {
    return std::ranges::any_of(report.verdicts, [&](const conform::Verdict& verdict) {
      return verdict.outcome == outcome ||
             std::ranges::any_of(verdict.parts,
                                 [&](const auto& part) { return part.outcome == outcome; });
    });
  };
  const bool misses = std::ranges::any_of(
      report.verdicts, [](const auto& verdict) { return !verdict.missed.empty(); });
  if (misses || any(conform::Outcome::kDiverges)) {
    return kFailure;
  }
  return any(conform::Outcome::kFailed) ? kCouldNotRun : kSuccess;
}

// Says how many were kept where nobody reads JSON.
Status keep(const conform::Conformance& report,
            const app::ConformPlan& plan,
            const app::Occasion& occasion,
            const Options& options,
            store::ResultStore& store) {
  CB_ASSIGN(const auto kept,
            app::keep_verdicts(report, plan.participants, plan.questions, occasion, store));
  if (!options.json) {
    fmt::print("{}: {} {} added, {} there already\n",
               options.store,
               kept.added,
               plural(kept.added, "verdict", "verdicts"),
               kept.already_there);
  }
  return {};
}

Result<int> conform_bindings(const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  const auto machine = app::this_machine();
  auto request = options.request;
  CB_ASSIGN(request.seeds, app::parse_seeds(options.seeds));
  CB_ASSIGN(const auto plan, app::plan_conformance(request, machine));
  std::unique_ptr<store::ResultStore> store;
  if (!options.store.empty()) {
    CB_ASSIGN(store, store::open(options.store));
  }
  CB_ASSIGN(const auto workplace, app::Workplace::open(machine, "conform"));
  const app::Occasion occasion{app::now(), workplace->environment()};
  process::StopSignal stop;
  const app::SignalScope signals(stop);
  Display display(plan.verdicts());
  const auto report = app::examine(
      plan, *workplace, stop, [&](const conform::Verdict& verdict) { display.show(verdict); });
  display.close();
  if (!report) {
    return tl::unexpected(report.error());
  }
  const ConformSetting setting{.against = request.against,
                               .full = request.full,
                               .steps = plan.questions.steps,
                               .seeds = request.seeds,
                               .wall = std::chrono::steady_clock::now() - began};
  std::fputs((options.json ? conform_json(*report, setting) : conform_text(*report)).c_str(),
             stdout);
  if (!options.junit.empty()) {
    CB_TRY(write_file(options.junit, conform_junit(*report)));
  }
  if (store) {
    CB_TRY(keep(*report, plan, occasion, options, *store));
  }
  return stop.is_raised() ? kInterrupted : exit_code(*report);
}

}  // namespace

void add_conform_command(Command& program) {
  Command command = program.subcommand(
      "conform", "Where bindings part: every step judged by the referee, layer by layer");
  const auto options = std::make_shared<Options>();
  command.option("BINDING",
                 options->request.bindings,
                 "Bindings, * and ? are patterns; without, all that are ready. After --: a program "
                 "and its arguments instead");
  command.option(
      "--model", options->request.models, "Models by id or file; without, all ready ones");
  command.option("--steps", options->request.steps, "Training steps (default 5; with --full 2)")
      .between(1, 1000);
  command.option("--seeds", options->seeds, "Of weights, data and order: 1,2,3").shows_default();
  command
      .option("--against",
              options->request.against,
              "Start the steps from this binding's states, and say who shows its bits")
      .shows_default();
  command.option("--device", options->request.device, "Without, cpu where a worker has it")
      .one_of(trial::all_devices());
  command.flag("--full", options->request.full, "At real size, not at the [conform] geometries");
  command.option(
      "--shrink",
      options->request.shrink,
      "For each divergence, write the smallest step that shows it into a folder in here");
  command.option(
      "--replay", options->request.replay, "Only take the step in this folder of --shrink");
  command.flag("--json", options->json, "Print JSON");
  command.option("--store", options->store, "Keep the verdicts in this store, for reports");
  command.option("--junit", options->junit, "Also write this file of JUnit XML");
  command.footer(
      "Examples:\n"
      "  crossbind conform pytorch/rust\n"
      "  crossbind conform 'pytorch/*' --model lenet5 --against pytorch/python\n"
      "  crossbind conform --model lenet5 -- python3 worker.py\n"
      "  crossbind conform pytorch/rust --model gru --shrink repros\n"
      "  crossbind conform pytorch/cpp --device cuda\n"
      "  crossbind conform --store crossbind.db\n"
      "Needs no data set: weights and data are made up. docs/conform.md explains the verdicts.\n"
      "Exit codes: 0 all agree, 1 one diverges or a known divergence is missing, 2 wrong usage,\n"
      "            3 something could not run, 130 interrupted.");
  command.runs([options] { return conform_bindings(*options); },
               [options, command] { return settle(*options, command.after_dashes()); });
}

}  // namespace crossbind::cli
