// Where setups install: one folder for each worker and each shared environment, named after what it
// was made from. Beside HOME stand HOME.lock, which whoever makes, uses or removes it holds, and
// HOME.log. A stamp inside, written last, says that it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "workers/manifest.h"
#include "workers/places.h"

namespace crossbind::workers {

struct Home {
  std::string name;            // "reference-python", "pytorch"
  std::string digest;          // of its sources
  std::filesystem::path path;  // the folder of all homes / name-digest

  [[nodiscard]] std::filesystem::path lock() const { return path.string() + ".lock"; }
  [[nodiscard]] std::filesystem::path log() const { return path.string() + ".log"; }
};

// The definition of a shared environment.
[[nodiscard]] std::filesystem::path shared_folder(const std::string& name, const Places& places);

[[nodiscard]] Home worker_home(const Manifest& manifest,
                               const std::string& build,
                               const Places& places);
[[nodiscard]] Result<Home> shared_home(const std::string& name, const Places& places);

[[nodiscard]] bool is_stamped(const Home& home);
[[nodiscard]] Status stamp(const Home& home);

// Whether the same thing was set up completely from other sources.
[[nodiscard]] bool is_outdated(const Home& home);
// Removes the homes of the same thing that were made from other sources, complete or not, except
// those that someone uses. Returns the folders that are gone.
[[nodiscard]] std::vector<std::filesystem::path> remove_outdated(const Home& home);

}  // namespace crossbind::workers
