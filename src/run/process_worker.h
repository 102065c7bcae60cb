// Workers as real programs under a guard, spoken to over a socket. Safe to use from several
// threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "run/library_hashes.h"
#include "run/worker.h"
#include "run/worker_program.h"

namespace crossbind::run {

struct LauncherOptions {
  std::filesystem::path guard;    // the program crossbind-guard
  std::string version;            // of crossbind, for the greeting
  std::filesystem::path scratch;  // an existing directory for sockets
  EndpointKind endpoint = EndpointKind::kUnix;
  std::chrono::milliseconds hello_timeout{120'000};  // frameworks take their time to load
  std::chrono::milliseconds grace{5'000};            // between bye and the end
};

class ProcessLauncher final : public WorkerLauncher {
 public:
  explicit ProcessLauncher(LauncherOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Result<std::unique_ptr<Worker>> launch(const std::string& binding,
                                                       const WorkerCommand& command,
                                                       const Limits& limits) override;

 private:
  LauncherOptions options_;
  LibraryHashes hashes_;
  std::atomic<int> sockets_ = 0;
};

}  // namespace crossbind::run
