#include "app/resources.h"

#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/cache.h"

namespace crossbind::app {
namespace {

// Without /proc: the working directory.
std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::filesystem::path resource_folder(const std::string& name) {
  if (const char* home = std::getenv("CROSSBIND_HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / name;
  }
  return resource_folder_of(name, program_folder());
}

std::filesystem::path resource_folder_of(const std::string& name,
                                         const std::filesystem::path& directory) {
  // Copied beside the program, in a prefix, installed, and build/release/crossbind.
  constexpr std::array<std::string_view, 4> kPlaces = {".", "..", "../share/crossbind", "../.."};
  std::error_code ignored;
  // In a build, what is beside the program is what CMake makes for the folders of the sources.
  const bool is_build = std::filesystem::exists(directory / "CMakeCache.txt", ignored);
  for (const std::string_view place : kPlaces) {
    auto folder = (directory / place / name).lexically_normal();
    if (std::filesystem::is_directory(folder, ignored) && !(is_build && place == ".")) {
      return folder;
    }
  }
  return (directory / name).lexically_normal();
}

std::filesystem::path web_folder() {
  return resource_folder_of("web", program_folder());
}

workers::Places worker_places() {
  // Workers run in folders of their own: a relative path would mean something else there.
  return {.workers = std::filesystem::absolute(resource_folder("workers")).lexically_normal(),
          .programs = std::filesystem::absolute(program_folder()),
          .guard = std::filesystem::absolute(program_folder()) / "crossbind-guard",
          .cache = std::filesystem::absolute(cache_directory()).lexically_normal()};
}

Machine this_machine() {
  return {.workers = worker_places(),
          .models = resource_folder("models"),
          .studies = resource_folder("studies"),
          .claims = resource_folder("claims"),
          .cache = cache_directory()};
}

}  // namespace crossbind::app
