// Files of numbers, one a line, as any program writes them.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.h"

namespace crossbind::app {

// Empty lines, and in every line what follows a '#', are passed over; any other line is one finite
// number, or an error with its place. So is a file without a number.
[[nodiscard]] Result<std::vector<double>> read_numbers(const std::filesystem::path& path);

}  // namespace crossbind::app
