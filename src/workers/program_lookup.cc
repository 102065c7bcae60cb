#include "workers/program_lookup.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace crossbind::workers {

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "/bin:/usr/bin" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(std::filesystem::path(folder.empty() ? "." : folder) / name)) {
      return true;
    }
  }
  return false;
}

}  // namespace crossbind::workers
