#include "base/cache.h"

#include <pwd.h>
#include <unistd.h>

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
  auto home = variable("HOME");
  if (home.empty()) {
    const passwd* user = ::getpwuid(::getuid());
    home = user == nullptr ? "/tmp" : user->pw_dir;
  }
  return home / ".cache" / "crossbind";
}

}  // namespace crossbind
