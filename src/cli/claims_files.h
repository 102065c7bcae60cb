// Claims files by name: the ready ones that come with the program, and those of the user.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "claims/judged_list.h"

namespace crossbind::cli {

// Sorted by name.
[[nodiscard]] Result<std::vector<claims::NamedList>> read_ready_claims();

// Each is a ready file's name, or a path that ends in .toml.
[[nodiscard]] Result<std::vector<claims::NamedList>> read_claims(
    const std::vector<std::string>& names);

}  // namespace crossbind::cli
