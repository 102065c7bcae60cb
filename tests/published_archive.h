// The published measurements, for the tests that are held against them.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace crossbind {

// $CROSSBIND_PUBLISHED, or beside the project. It need not be there.
[[nodiscard]] std::filesystem::path published_archive();

// Its files, in an existing directory.
[[nodiscard]] Status unpack_published(const std::filesystem::path& directory);

}  // namespace crossbind
