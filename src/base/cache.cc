#include "base/cache.h"

#include <cstdlib>

namespace crossbind {

std::filesystem::path cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (auto own = variable("CROSSBIND_CACHE"); !own.empty()) {
    return own;
  }
  // The XDG specification: a relative XDG_CACHE_HOME is invalid and ignored.
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) {
    return xdg / "crossbind";
  }
  return variable("HOME") / ".cache" / "crossbind";
}

}  // namespace crossbind
