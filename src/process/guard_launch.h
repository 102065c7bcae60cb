// Starts crossbind-guard and, through it, the program; private to this folder.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/error.h"
#include "process/file_descriptor.h"
#include "process/guarded.h"

namespace crossbind::process {

struct LaunchedGuard {
  pid_t pid = -1;
  pid_t worker = -1;
  FileDescriptor channel;  // see guard_protocol.h
  FileDescriptor log;      // what the program prints
};

// Safe to call from several threads at once: nothing but exec() follows the fork.
[[nodiscard]] Result<LaunchedGuard> launch_guard(const std::filesystem::path& guard,
                                                 const GuardedCommand& command);

}  // namespace crossbind::process
