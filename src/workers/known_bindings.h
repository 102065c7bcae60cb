// workers/bindings.toml: the bindings that are known and have no worker yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace crossbind::workers {

struct KnownBinding {
  std::string name;     // "pytorch/csharp"
  std::string missing;  // why there is no worker
};

// The bindings that the file knows: none when it does not exist.
[[nodiscard]] Result<std::vector<KnownBinding>> load_known_bindings(
    const std::filesystem::path& path);

}  // namespace crossbind::workers
