#include "testing/testing.h"

namespace crossbind::testing {

std::filesystem::path source_path(const std::filesystem::path& path) {
  return std::filesystem::path(CROSSBIND_SOURCE_DIR) / path;
}

std::filesystem::path build_path(const std::filesystem::path& path) {
  return std::filesystem::path(CROSSBIND_BUILD_DIR) / path;
}

}  // namespace crossbind::testing
