// What a worker is made of, as one SHA-256: two workers with the same digest are the same program.
// Names and contents count, times and permissions do not. Left out are names that begin with a dot,
// README.md, and folders called tests, __pycache__, target or node_modules; a symbolic link counts
// by where it points to.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "workers/manifest.h"
#include "workers/places.h"

namespace crossbind::workers {

// The digest of one folder.
[[nodiscard]] Result<std::string> folder_digest(const std::filesystem::path& folder);

// The digest of a worker: of its folder, its `sources`, the shared environments that it names, and
// its program where crossbind's build made that.
[[nodiscard]] Result<std::string> build_digest(const Manifest& manifest, const Places& places);

}  // namespace crossbind::workers
