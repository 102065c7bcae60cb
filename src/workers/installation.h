// Where a worker of a certain build is, or will be, installed: its homes, what its placeholders
// stand for, and the program that starts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "workers/home.h"
#include "workers/manifest.h"
#include "workers/placeholders.h"
#include "workers/places.h"

namespace crossbind::workers {

struct Installation {
  std::vector<Home> shared;  // in the order of `shares`
  std::optional<Home> own;   // of a worker with a setup command
  Placeholders placeholders;
  std::string program;  // start[0]: an absolute path, or a name to be looked up in PATH

  [[nodiscard]] std::vector<Home> homes() const;  // the shared ones, then its own
  [[nodiscard]] bool is_stamped() const;          // all of them
  [[nodiscard]] bool has_program() const;
  // Whether the program comes from a setup, not from the system or from crossbind's build.
  [[nodiscard]] bool installs_program() const;
};

[[nodiscard]] Result<Installation> installation_of(const Manifest& manifest,
                                                   const std::string& build,
                                                   const Places& places);

}  // namespace crossbind::workers
