// Bindings that can be used here, and how their workers are started. Starts none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "process/program.h"
#include "trial/capabilities.h"
#include "workers/binding.h"
#include "workers/file_lock.h"
#include "workers/places.h"

namespace crossbind::app {

// Who is right where no binding is to be.
inline constexpr const char* kReferee = "referee";

// The bindings that the patterns match and that are ready; no pattern matches all. One that is
// named in full must be ready: the error says what to do.
[[nodiscard]] Result<std::vector<workers::Binding>> ready_bindings(
    const std::vector<workers::Binding>& all, const std::vector<std::string>& patterns);

// How the workers of bindings are started, by the bindings' names.
struct Starts {
  std::map<std::string, process::Program> commands;
  std::map<std::string, trial::Capabilities> capabilities;
  std::vector<workers::FileLock> locks;  // no setup removes them meanwhile
};
// Bindings that are not ready are left out.
[[nodiscard]] Result<Starts> starts_of(const std::vector<workers::Binding>& bindings,
                                       const workers::Places& places);

}  // namespace crossbind::app
