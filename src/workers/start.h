// How the worker of a binding is started. Starts nothing.
#pragma once

#include <vector>

#include "base/error.h"
#include "process/program.h"
#include "workers/binding.h"
#include "workers/file_lock.h"
#include "workers/places.h"

namespace crossbind::workers {

struct StartCommand {
  process::Program program;
  // To be kept for as long as the worker runs: no setup removes its homes then.
  std::vector<FileLock> locks;
};

// Fails, with the command that mends it, when the binding is not ready.
[[nodiscard]] Result<StartCommand> start_command(const Binding& binding, const Places& places);

}  // namespace crossbind::workers
