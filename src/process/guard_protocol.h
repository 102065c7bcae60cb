// What crossbind and crossbind-guard say to each other; private to this folder. The two are built
// together, so messages are plain structs on a socket.
//
//   crossbind-guard MEMORY_BYTES DEADLINE_MS GRACE_MS CPU,CPU,... DIRECTORY PROGRAM [ARGUMENT...]
//
// with the socket as descriptor 3. crossbind sends the worker's environment (its size as uint64_t,
// then entries that each end in a zero byte), then any number of GuardRequest. The guard sends one
// GuardStarted, and, when that was no failure, one GuardEnded after the last process has gone. The
// end of the stream is the death of the other side.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

namespace crossbind::process {

inline constexpr int kGuardChannel = 3;

// In the environment of everything below a guard: the guard's pid. Processes that detach keep it.
inline constexpr std::string_view kGuardMarker = "CROSSBIND_GUARD=";

enum class GuardRequest : char { kStop = 's', kKill = 'k' };

enum class StartStep : int32_t { kDone, kGuard, kDirectory, kCpus, kProgram };

struct GuardStarted {
  StartStep failed_step = StartStep::kDone;
  int32_t error = 0;  // errno of the failed step
  int32_t worker = 0;
};

enum class GuardReason : int32_t { kEnded, kMemoryLimit, kDeadline, kStopped };

struct GuardEnded {
  GuardReason reason = GuardReason::kEnded;
  int32_t wait_status = 0;  // of the worker's first process, as waitpid() has it
  int64_t wall_us = 0;
  int64_t user_us = 0;
  int64_t system_us = 0;
  uint64_t peak_memory = 0;
};

// False when the other side is gone. Messages are sent by one call, so they arrive whole.
template <typename Message>
[[nodiscard]] bool receive_message(int channel, Message& message) {
  ssize_t count = 0;
  while ((count = ::recv(channel, &message, sizeof message, MSG_WAITALL)) < 0 && errno == EINTR) {
  }
  return count == sizeof message;
}

template <typename Message>
void send_message(int channel, const Message& message) {
  // When the other side is gone there is nobody to tell.
  ::send(channel, &message, sizeof message, MSG_NOSIGNAL);
}

}  // namespace crossbind::process
