// Streams the members of an archive through libarchive. Knows no data set.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::data {

struct ArchiveVisitor {
  std::function<bool(std::string_view name)> wanted;
  std::function<Status(const std::string& name, std::vector<std::byte>& bytes)> visit;
  std::function<void(uint64_t consumed)>
      consumed;  // bytes of the archive read so far; may be empty
};

// Members larger than `limit` are errors. Errors name the archive, the member and the offset in the
// archive file.
[[nodiscard]] Status read_archive(const std::filesystem::path& path,
                                  size_t limit,
                                  const ArchiveVisitor& visitor);
[[nodiscard]] Status read_archive(std::span<const std::byte> archive,
                                  const std::string& place,
                                  size_t limit,
                                  const ArchiveVisitor& visitor);

}  // namespace crossbind::data
