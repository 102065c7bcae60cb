// The program: parse, do the one thing that was asked for, say what went wrong.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "cli/commands.h"

namespace {

int report(const crossbind::Error& error) {
  std::fputs(fmt::format("crossbind: {}\n", error.to_string()).c_str(), stderr);
  return crossbind::cli::kFailure;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace crossbind::cli;
  CLI::App app(
      "Trains the same model through every framework binding and proves whether they agree.",
      "crossbind");
  app.require_subcommand(1);
  app.set_version_flag("--version", "crossbind " CROSSBIND_VERSION);
  app.footer(
      "Start here:  crossbind models\n"
      "             crossbind dataset get glyphs --train 12000 --test 2000\n"
      "             crossbind referee --model lenet5 --dataset glyphs-12000-2000\n"
      "Exit codes:  0 done, 1 failed, 2 wrong usage.");
  Invocation invocation;
  add_dataset_command(app, invocation);
  add_models_command(app, invocation);
  add_referee_command(app, invocation);
  add_tensors_command(app, invocation);
  add_weights_command(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kWrongUsage;
  }
  if (!invocation.action) {
    return kWrongUsage;
  }
  const auto code = invocation.action();
  return code ? *code : report(code.error());
}
