#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/gate.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/gate_text.h"
#include "cli/slowdown_option.h"
#include "decide/gate_report.h"

namespace crossbind::cli {
namespace {

constexpr int kGateFailed = 3;
constexpr int kGateUndecided = 4;

// What the command line says; lives as long as the closures that read it.
struct GateCommandOptions {
  std::string baseline;
  std::string candidate;
  std::string max_slowdown = "5%";
  double alpha = 0.05;
  uint32_t resamplings = 200;
  uint32_t seed = 1;
  bool self_test = false;
  bool allow_missing = false;
  bool allow_unchanged = false;
  bool json = false;
  bool github = false;
  std::string markdown;
};

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

int exit_code_of(decide::GateDecision decision) {
  switch (decision) {
    case decide::GateDecision::kPassed:
      return kSuccess;
    case decide::GateDecision::kFailed:
      return kGateFailed;
    case decide::GateDecision::kUndecided:
      break;
  }
  return kGateUndecided;
}

Result<int> test_itself(const GateCommandOptions& options) {
  decide::TimeLimits limits{.alpha = options.alpha};
  CB_ASSIGN(limits.slowdown, slowdown_from(options.max_slowdown));
  CB_ASSIGN(
      const auto test,
      app::gate_on_itself(
          options.baseline, limits, {.resamplings = options.resamplings, .seed = options.seed}));
  std::fputs(
      (options.json ? decide::self_test_json(test, limits) : decide::self_test_text(test, limits))
          .c_str(),
      stdout);
  return exit_code_of(decision_of(test, limits));
}

Result<int> compare(const GateCommandOptions& options) {
  decide::GateOptions limits{.max_slowdown = std::nullopt,
                             .alpha = options.alpha,
                             .allow_missing = options.allow_missing,
                             .allow_unchanged = options.allow_unchanged};
  if (options.max_slowdown != "none") {
    CB_ASSIGN(limits.max_slowdown, slowdown_from(options.max_slowdown));
  }
  CB_ASSIGN(const auto gate, app::gate_between({options.baseline, options.candidate, limits}));
  std::fputs((options.json ? decide::gate_json(gate) : gate_text(gate)).c_str(), stdout);
  if (!options.markdown.empty()) {
    CB_TRY(write_file(options.markdown, decide::gate_markdown(gate)));
  }
  if (const auto step = app::github_step(from_environment, options.github)) {
    // GitHub reads both streams; what reads the JSON does not.
    std::fputs(decide::gate_annotations(gate).c_str(), options.json ? stderr : stdout);
    CB_TRY(app::add_to_summary(gate, *step));
  }
  return exit_code_of(gate.decision);
}

Result<int> gate(const GateCommandOptions& options) {
  return options.self_test ? test_itself(options) : compare(options);
}

std::string refusal(const GateCommandOptions& options) {
  if (options.self_test == !options.candidate.empty()) {
    return "needs either --candidate or --self-test";
  }
  if (!(options.alpha > 0 && options.alpha <= 0.5)) {
    return "--alpha lies above 0 and is at most 0.5";
  }
  if (options.max_slowdown == "none") {
    return options.self_test ? "--self-test needs a --max-slowdown" : "";
  }
  const auto slowdown = slowdown_from(options.max_slowdown);
  return slowdown ? "" : slowdown.error().to_string();
}

}  // namespace

void add_gate_command(Command& program) {
  const auto options = std::make_shared<GateCommandOptions>();
  Command command = program.subcommand(
      "gate", "Whether a candidate's store is as right and as fast as a baseline's");
  command.option("--baseline", options->baseline, "The store to hold it against").required();
  command.option("--candidate", options->candidate, "The store to judge");
  command
      .option("--max-slowdown",
              options->max_slowdown,
              "How much slower is let pass: 5% or 1.05x; none judges no times")
      .shows_default();
  command.option("--alpha", options->alpha, "The rate of false alarms, all times together")
      .shows_default();
  command.flag("--allow-missing",
               options->allow_missing,
               "Pass without what only the baseline measured; it is named all the same");
  command.flag("--allow-unchanged",
               options->allow_unchanged,
               "Pass a candidate whose trials are the baseline's own");
  command.flag("--self-test",
               options->self_test,
               "Deal the baseline's samples into halves, and count false alarms");
  command.option("--resamplings", options->resamplings, "Of the self-test")
      .between(1, 1'000'000)
      .shows_default();
  command.option("--seed", options->seed, "Of the self-test").shows_default();
  command.flag("--json", options->json, "Print JSON");
  command.option("--markdown", options->markdown, "Write a summary into this file");
  command.flag("--github",
               options->github,
               "Print annotations and add to $GITHUB_STEP_SUMMARY; in GitHub Actions always");
  command.footer(
      "Examples: crossbind gate --baseline main.db --candidate pr.db\n"
      "          crossbind gate --baseline main.db --candidate pr.db --max-slowdown 10% --github\n"
      "          crossbind gate --baseline main.db --self-test\n"
      "A trial that no longer works, no longer agrees or has another accuracy fails at once; a\n"
      "slowdown when it is significant and larger than the limit. docs/gate.md has the rules.\n"
      "Exit codes: 0 passed, 1 a store cannot be read, 2 wrong usage, 3 failed, 4 undecided:\n"
      "nothing was compared, something is missing, or the samples are too few for any verdict.");
  command.runs([options] { return gate(*options); }, [options] { return refusal(*options); });
}

}  // namespace crossbind::cli
