// Where the files are that come with the program.
#pragma once

#include <filesystem>

namespace crossbind::cli {

// The folder of ready models: $CROSSBIND_HOME/models when that is set, else the first that exists
// beside or above the executable. Which one it would have been when none does.
[[nodiscard]] std::filesystem::path models_folder();

// The same for an executable in `directory`.
[[nodiscard]] std::filesystem::path models_folder_of(const std::filesystem::path& directory);

}  // namespace crossbind::cli
