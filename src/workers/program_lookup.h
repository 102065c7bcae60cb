// Whether programs are there. Runs none.
#pragma once

#include <filesystem>
#include <string>

namespace crossbind::workers {

// A file that may be executed.
[[nodiscard]] bool is_program(const std::filesystem::path& path);

// A name, looked up in PATH.
[[nodiscard]] bool is_on_path(const std::string& name);

}  // namespace crossbind::workers
