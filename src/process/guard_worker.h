// The guard's side of starting the program: what crossbind asks for, and the fork. Private to
// crossbind-guard.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/guard_protocol.h"

namespace crossbind::process {

struct GuardSettings {
  uint64_t memory_limit = 0;              // bytes; 0: none
  std::chrono::milliseconds deadline{0};  // 0: none
  std::chrono::milliseconds grace{0};
  std::vector<int> cpus;  // empty: all
  const char* directory = nullptr;
  char** arguments = nullptr;
  std::vector<std::string> environment;
};

// From the command line and the channel; nothing when either is not what crossbind sends.
[[nodiscard]] std::optional<GuardSettings> receive_settings(int argc, char** argv);

// The program has been executed when this returns, or says which step failed.
[[nodiscard]] GuardStarted start_worker(GuardSettings& settings);

// Moves the guard to processors that the program does not use, where there are any: its looking
// around must not show in what the program measures.
void stay_away_from(const std::vector<int>& cpus);

}  // namespace crossbind::process
