// Claims files by name: the ready ones that come with the program, and those of the user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "claims/judged_list.h"

namespace crossbind::app {

// All claims files of the folder, sorted by name.
[[nodiscard]] Result<std::vector<claims::NamedList>> read_ready_claims(
    const std::filesystem::path& folder);

// Each is the name of a ready file, which is in the folder, or a path that ends in .toml.
[[nodiscard]] Result<std::vector<claims::NamedList>> read_claims(
    const std::vector<std::string>& names, const std::filesystem::path& folder);

}  // namespace crossbind::app
