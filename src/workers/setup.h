// Sets bindings up: runs their setup commands, each into a home of its own, and those of the shared
// environments once for all. Any number of processes may do so side by side. The contract of a
// setup command stands in docs/worker-manifests.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "workers/binding.h"
#include "workers/places.h"

namespace crossbind::workers {

// What happens meanwhile; the program decides how it looks.
class SetupWatch {
 public:
  virtual ~SetupWatch() = default;

  // Another process sets the same thing up and is waited for.
  virtual void waits(const std::string& what) = 0;
  virtual void begins(const std::string& what, const std::filesystem::path& log) = 0;
  virtual void goes_on(const std::string& last_line) = 0;  // about ten times a second
  virtual void ends() = 0;                                 // well or not
};

struct SetupReport {
  bool was_ready = false;                      // nothing had to be done
  std::vector<std::filesystem::path> removed;  // homes made from earlier sources
};

// Returns when the binding is ready. What a failed or killed setup left is continued by the next
// one.
[[nodiscard]] Result<SetupReport> set_up(const Binding& binding,
                                         const Places& places,
                                         SetupWatch& watch);

}  // namespace crossbind::workers
