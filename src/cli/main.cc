// The program: parse, do the one thing that was asked for, say what went wrong.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/suggestion.h"

namespace {

int report(const crossbind::Error& error) {
  std::fputs(fmt::format("crossbind: {}\n", error.to_string()).c_str(), stderr);
  return crossbind::cli::kFailure;
}

int run(const crossbind::cli::Invocation& invocation) {
  try {
    const auto code = invocation.action();
    if (!code) {
      return report(code.error());
    }
    // A full disk or a closed pipe must not pass for success.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return report({crossbind::ErrorKind::kIo, "cannot write to standard output", {}, {}});
    }
    return *code;
  } catch (const std::bad_alloc&) {
    return report(
        {crossbind::ErrorKind::kUnavailable, "out of memory", {}, "A smaller --batch needs less."});
  }
}

int program(int argc, char** argv) {
  namespace cli = crossbind::cli;
  CLI::App app(
      "Trains the same model through every framework binding and proves whether they agree.",
      "crossbind");
  app.require_subcommand(1);
  app.set_version_flag("--version", "crossbind " CROSSBIND_VERSION);
  app.footer(
      "Start here:  crossbind doctor\n"
      "             crossbind setup reference/python\n"
      "             crossbind run quick\n"
      "Exit codes:  0 done, 1 failed, 2 wrong usage.");
  cli::Invocation invocation;
  cli::add_commands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = app.exit(error) == 0;
    if (!asked_for_help) {
      std::fputs(cli::suggestion(app, {argv + 1, argv + argc}).c_str(), stderr);
    }
    return asked_for_help ? cli::kSuccess : cli::kWrongUsage;
  }
  if (!invocation.action) {
    return cli::kWrongUsage;
  }
  return run(invocation);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("crossbind: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return crossbind::cli::kFailure;
  }
}
