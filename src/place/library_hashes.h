// The shared libraries that a process has loaded, with their SHA-256: the same versions can still
// be different builds. Files are hashed once. Safe to use from several threads.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>

#include "base/texts.h"

namespace crossbind::place {

class LibraryHashes {
 public:
  // By file name; empty when the process is gone.
  [[nodiscard]] Texts of_process(pid_t pid);

 private:
  [[nodiscard]] std::string hash_of(const std::string& path);

  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // by path, size and time of change
};

}  // namespace crossbind::place
