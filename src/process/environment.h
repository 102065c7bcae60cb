// The texts that exec() takes: environments, and arrays of pointers to them.
#pragma once

#include <string>
#include <vector>

namespace crossbind::process {

// Our environment with `extra` ("NAME=value") on top.
[[nodiscard]] std::vector<std::string> merged_environment(const std::vector<std::string>& extra);

// Pointers to the texts, which must outlive them, and a null pointer at the end.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts);

}  // namespace crossbind::process
