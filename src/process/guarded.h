// A long-running program under a guard: a small process of its own that limits time and memory and
// kills everything the program has started when it ends, when it is asked to, or when this process
// dies, by kill -9 even. Says how the program ended and what it used. What it prints is kept in
// bounded memory. Knows nothing of what the program does. Own code: what else ends a whole tree of
// processes, containers and systemd's scopes, needs rights or services that a user may not have.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "process/program.h"

namespace crossbind::process {

struct GuardedCommand {
  Program program;
  std::vector<int> cpus;                  // where it may run; empty: anywhere
  uint64_t memory_limit = 0;              // bytes resident, summed over its processes; 0: none
  std::chrono::milliseconds deadline{0};  // 0: none
  std::chrono::milliseconds grace{2000};  // between SIGTERM and SIGKILL in stop()
  size_t log_limit = size_t{256} << 10;   // bytes kept of what it prints, half from either end
  // Also handed over as it comes, by a thread of its own; may be empty.
  std::function<void(std::string_view)> on_output = {};
};

struct Usage {
  std::chrono::microseconds wall{0};    // until the program itself ended
  std::chrono::microseconds user{0};    // of all its processes
  std::chrono::microseconds system{0};  // of all its processes
  uint64_t peak_memory = 0;             // bytes resident, summed over its processes
};

enum class Ending {
  kExited,
  kSignalled,
  kMemoryLimit,
  kDeadline,
  kStopped,    // by stop() or kill()
  kGuardLost,  // the guard was killed; no usage is known
};

// How a program ended, and what it used.
struct End {
  Ending ending = Ending::kGuardLost;
  int code = 0;  // kExited: the exit code; kSignalled: the signal
  Usage usage;
  uint64_t memory_limit = 0;
  std::chrono::milliseconds deadline{0};
  std::string log;  // standard output and standard error as they came

  // A predicate: "was killed by SIGSEGV", "ran longer than 60.0 s".
  [[nodiscard]] std::string describe() const;
};

// stop(), kill() and has_ended() may be called by any thread, the rest by one at a time.
class GuardedProcess {
 public:
  // Fails when the program cannot be started, and names it. Makes this process the one that its
  // orphaned descendants fall to (see orphans.h).
  [[nodiscard]] static Result<GuardedProcess> start(const std::filesystem::path& guard,
                                                    const GuardedCommand& command);

  GuardedProcess(GuardedProcess&&) noexcept;
  GuardedProcess& operator=(GuardedProcess&&) = delete;
  GuardedProcess(const GuardedProcess&) = delete;
  GuardedProcess& operator=(const GuardedProcess&) = delete;
  ~GuardedProcess();  // kills and waits

  [[nodiscard]] pid_t pid() const;        // of the program
  [[nodiscard]] pid_t guard_pid() const;  // of its guard

  void stop();  // SIGTERM to all its processes, SIGKILL after the grace; does not wait
  void kill();  // SIGKILL to all its processes; does not wait

  [[nodiscard]] bool has_ended() const;
  // Readable from the moment it has ended; to poll, not to read.
  [[nodiscard]] int end_descriptor() const;

  // Returns when the program and everything it started are gone.
  const End& wait();

 private:
  struct State;
  explicit GuardedProcess(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace crossbind::process
