#include "cli/resources.h"

#include <array>
#include <cstdlib>
#include <system_error>

namespace crossbind::cli {

std::filesystem::path models_folder() {
  if (const char* home = std::getenv("CROSSBIND_HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / "models";
  }
  std::error_code ignored;  // without /proc: beside the working directory
  return models_folder_of(std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path());
}

std::filesystem::path models_folder_of(const std::filesystem::path& directory) {
  // Copied beside the program, in a prefix, installed, and build/release/crossbind.
  constexpr std::array kPlaces = {
      "models", "../models", "../share/crossbind/models", "../../models"};
  for (const char* place : kPlaces) {
    auto folder = (directory / place).lexically_normal();
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) {
      return folder;
    }
  }
  return (directory / kPlaces.front()).lexically_normal();
}

}  // namespace crossbind::cli
