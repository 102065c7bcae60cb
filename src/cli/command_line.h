// What the program takes on its command line, declared command by command, and what each then does.
// CLI11 does the work, in command_line.cc alone: all of it is inline, so that each file that
// included it took 5 s longer to compile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace crossbind::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;  // as shells have it: 128 + SIGINT

using Action = std::function<Result<int>()>;  // returns the exit code

// What came of parsing.
struct Chosen {
  Action action;
  std::vector<std::string> after_dashes;  // the words behind "--"
};

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& shows_default();
  Option& one_of(const std::vector<std::string>& values);
  Option& between(int64_t low, int64_t high);
  Option& positive();

 private:
  CLI::Option* option_;
};

// Where options go must live as long as the command: whatever its action owns does.
class Command {
 public:
  Command(CLI::App* app, Chosen* chosen) : app_(app), chosen_(chosen) {}

  Command subcommand(const std::string& name, const std::string& description);
  void needs_subcommand();
  // Options of which exactly one must be given.
  Command exactly_one_of(const std::string& title, const std::string& description);

  // A name without dashes is a positional argument; a vector takes all that follow. For the types
  // that are instantiated in command_line.cc.
  template <typename T>
  Option option(const std::string& names, T& into, const std::string& description);
  void flag(const std::string& name, bool& into, const std::string& description);

  void footer(const std::string& text);

  // What is done, unless a subcommand of it is chosen. `refusal` says what does not go together, or
  // "".
  void runs(Action action, std::function<std::string()> refusal = {});
  [[nodiscard]] bool is_followed_by_subcommand() const;
  // The words behind "--", which no option and no positional argument gets. Once parsed.
  [[nodiscard]] const std::vector<std::string>& after_dashes() const {
    return chosen_->after_dashes;
  }

 private:
  CLI::App* app_;
  Chosen* chosen_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] Command program() { return {app_.get(), &chosen_}; }

  // What is to be done; or, where nothing is (help was asked for, or the usage is wrong, which is
  // said, with what may have been meant), the exit code.
  struct Parsed {
    Action action;
    int code = kSuccess;
  };
  [[nodiscard]] Parsed parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Chosen chosen_;
};

}  // namespace crossbind::cli
