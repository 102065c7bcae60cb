// The program: parse, do the one thing that was asked for, say what went wrong.
#include <cstdio>
#include <exception>
#include <new>

#include "cli/command_line.h"
#include "cli/commands.h"

namespace {

int report(const crossbind::Error& error) {
  std::fputs(fmt::format("crossbind: {}\n", error.to_string()).c_str(), stderr);
  return crossbind::cli::kFailure;
}

int run(const crossbind::cli::Action& action) {
  try {
    const auto code = action();
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
  cli::CommandLine line(
      "crossbind",
      "Trains the same model through every framework binding and proves whether they agree.",
      CROSSBIND_VERSION);
  cli::Command program = line.program();
  program.needs_subcommand();
  program.footer(
      "Start here:  crossbind doctor\n"
      "             crossbind setup reference/python\n"
      "             crossbind run quick\n"
      "Exit codes:  0 done, 1 failed, 2 wrong usage.");
  cli::add_commands(program);
  const auto parsed = line.parse(argc, argv);
  return parsed.action ? run(parsed.action) : parsed.code;
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
