// Runs a program to its end and takes what it prints. No shell: arguments are passed as they are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace crossbind::process {

struct Command {
  std::vector<std::string> arguments;    // the program first, looked up in PATH
  std::filesystem::path directory;       // where it runs; empty: here
  std::vector<std::string> environment;  // "NAME=value", on top of ours
  std::function<void()> while_running;   // called about ten times a second; may be empty
};

struct Outcome {
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string out;    // bounded: the last kOutputLimit bytes of each
  std::string error;
};

inline constexpr size_t kOutputLimit = size_t{1} << 20;

// Fails only when the program cannot be started; its exit code is the caller's to judge.
// The child is killed when this process dies; it is not waited for longer than it runs, whatever
// holds its streams open.
[[nodiscard]] Result<Outcome> run(const Command& command);

}  // namespace crossbind::process
