// What stands beside a converted data set: where it came from and what it must be. Written last, so
// that a data file without one is known to be unfinished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace crossbind::data {

// Raised when the same source would convert to other bytes; older caches are then rebuilt.
inline constexpr int64_t kManifestFormat = 1;

struct Manifest {
  int64_t format = kManifestFormat;
  std::string name;
  std::string source;  // SHA-256 of the source; for generated data, of its options
  std::string sha256;  // of the data file
  uint64_t size = 0;   // of the data file, in bytes
};

[[nodiscard]] Status write_manifest(const Manifest& manifest, const std::filesystem::path& path);
[[nodiscard]] Result<Manifest> read_manifest(const std::filesystem::path& path);

}  // namespace crossbind::data
