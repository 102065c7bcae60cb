// The program of a worker, started under a guard with an endpoint to connect to. It has not been
// spoken to yet.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "process/endpoint.h"
#include "process/guarded.h"
#include "run/worker.h"

namespace crossbind::run {

enum class EndpointKind { kUnix, kTcp };

struct WorkerProgram {
  process::Listener listener;
  std::string token;  // what its hello must say
  process::GuardedProcess process;
};

struct StartPlace {
  const std::filesystem::path& guard;  // the program crossbind-guard
  EndpointKind endpoint = EndpointKind::kUnix;
  std::filesystem::path socket;  // must not exist; TCP is used instead where it is too long
};

[[nodiscard]] Result<WorkerProgram> start_program(const WorkerCommand& command,
                                                  const Limits& limits,
                                                  const StartPlace& place);

// The same without an endpoint: nobody listens.
[[nodiscard]] process::GuardedCommand guarded_command(const WorkerCommand& command,
                                                      const Limits& limits);

}  // namespace crossbind::run
