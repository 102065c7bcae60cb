// A worker as the runner sees it: started, spoken to, ended. The interface is what tests replace;
// process_worker.h starts real programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "process/guarded.h"
#include "protocol/messages.h"
#include "store/record.h"

namespace crossbind::run {

struct WorkerCommand {
  std::vector<std::string> arguments;  // the program first
  std::filesystem::path directory;
  std::vector<std::string> environment;  // "NAME=value"
};

struct Limits {
  std::chrono::milliseconds time{0};  // 0: none
  uint64_t memory = 0;                // bytes; 0: none
  std::vector<int> cpus;              // where it may run; empty: anywhere
  int threads = 1;                    // what the libraries' environment variables say
};

struct Ended {};        // the worker has closed its side or is gone
struct Interrupted {};  // the descriptor that was to wake us did
struct Silent {};       // nothing came in time
using Heard = std::variant<protocol::Event, Ended, Interrupted, Silent>;

class Worker {
 public:
  virtual ~Worker() = default;

  // Waits for the worker's hello and answers it. Errors say what is wrong with it: another version,
  // a wrong token, a name that is not the expected one. Ended and Interrupted as in receive().
  [[nodiscard]] virtual Result<Heard> greet(int wake_descriptor) = 0;

  [[nodiscard]] virtual Status send(const protocol::Request& request) = 0;
  // The next event; an error when a line is not one.
  [[nodiscard]] virtual Result<Heard> receive(std::chrono::milliseconds timeout,
                                              int wake_descriptor) = 0;

  // The libraries that it has loaded, by file name, with their SHA-256.
  [[nodiscard]] virtual store::Environment libraries() = 0;

  enum class Leave {
    kByItself,  // it has been told bye or has gone: it gets a moment
    kNow,
  };
  // Returns when nothing of it is left.
  [[nodiscard]] virtual process::Report end(Leave leave) = 0;
};

class WorkerLauncher {
 public:
  virtual ~WorkerLauncher() = default;

  // `binding` is what the worker must call itself; empty: anything.
  [[nodiscard]] virtual Result<std::unique_ptr<Worker>> launch(const std::string& binding,
                                                               const WorkerCommand& command,
                                                               const Limits& limits) = 0;
};

}  // namespace crossbind::run
