#include "run/worker_program.h"

#include <fmt/format.h>

#include <sys/random.h>

#include <array>

#include "protocol/messages.h"

namespace crossbind::run {
namespace {

using process::GuardedProcess;
using process::Listener;

// What the numeric libraries of all frameworks read at their start.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS",
                                         "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS",
                                         "NUMEXPR_NUM_THREADS",
                                         "TF_NUM_INTRAOP_THREADS",
                                         "TF_NUM_INTEROP_THREADS"};

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  // At most 256 bytes are never cut short.
  [[maybe_unused]] const auto count = ::getrandom(bytes.data(), bytes.size(), 0);
  std::string token;
  for (const unsigned byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

// The path of a Unix socket has a limit (108 bytes); a cache may lie deeper than that.
constexpr size_t kLongestSocketPath = 100;

}  // namespace

process::GuardedCommand guarded_command(const WorkerCommand& command, const Limits& limits) {
  process::GuardedCommand guarded;
  guarded.arguments = command.arguments;
  guarded.directory = command.directory;
  guarded.environment = command.environment;
  for (const char* variable : kThreadVariables) {
    guarded.environment.push_back(fmt::format("{}={}", variable, limits.threads));
  }
  guarded.cpus = limits.cpus;
  guarded.memory_limit = limits.memory;
  guarded.deadline = limits.time;
  return guarded;
}

Result<WorkerProgram> start_program(const WorkerCommand& command,
                                    const Limits& limits,
                                    const StartPlace& place) {
  const bool is_unix =
      place.endpoint == EndpointKind::kUnix && place.socket.native().size() <= kLongestSocketPath;
  CB_ASSIGN(auto listener,
            is_unix ? Listener::listen_unix(place.socket) : Listener::listen_tcp("127.0.0.1", 0));
  std::string token = make_token();
  process::GuardedCommand guarded = guarded_command(command, limits);
  guarded.environment.push_back(
      fmt::format("{}={}", protocol::kEndpointVariable, listener.address()));
  guarded.environment.push_back(fmt::format("{}={}", protocol::kTokenVariable, token));
  CB_ASSIGN(auto process, GuardedProcess::start(place.guard, guarded));
  return WorkerProgram{std::move(listener), std::move(token), std::move(process)};
}

}  // namespace crossbind::run
