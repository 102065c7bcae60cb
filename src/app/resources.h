// Where the files are that come with the program.
#pragma once

#include <filesystem>
#include <string>

#include "workers/places.h"

namespace crossbind::app {

// A folder that comes with the program ("models", "workers", "studies"): the one in $CROSSBIND_HOME
// when that is set, else the first that exists beside or above the executable. Which one it would
// have been when none does.
[[nodiscard]] std::filesystem::path resource_folder(const std::string& name);

// The folder that an executable in `directory` would take.
[[nodiscard]] std::filesystem::path resource_folder_of(const std::string& name,
                                                       const std::filesystem::path& directory);

// What draws figures: the scripts of web/ with what npm has installed for them. Made when crossbind
// is built, so no other home has it.
[[nodiscard]] std::filesystem::path web_folder();

[[nodiscard]] workers::Places worker_places();

// Where all of it is on a machine: what a command hands to the functions that do its work, which
// look nowhere else.
struct Machine {
  workers::Places workers;
  std::filesystem::path models;
  std::filesystem::path studies;
  std::filesystem::path claims;
  std::filesystem::path cache;
};

[[nodiscard]] Machine this_machine();

}  // namespace crossbind::app
