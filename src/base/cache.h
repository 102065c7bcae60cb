// Where converted data sets, installed bindings and other derived files live.
#pragma once

#include <filesystem>

namespace crossbind {

// $CROSSBIND_CACHE, else $XDG_CACHE_HOME/crossbind, else ~/.cache/crossbind. Not created here.
[[nodiscard]] std::filesystem::path cache_directory();

}  // namespace crossbind
