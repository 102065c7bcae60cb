// Decompresses gzip and checks its checksums, which libarchive does not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace crossbind::data {

// Content larger than `limit` is an error. Errors name the offset in the compressed file.
[[nodiscard]] Result<std::vector<std::byte>> gunzip(std::span<const std::byte> compressed,
                                                    const std::string& place,
                                                    size_t limit);

}  // namespace crossbind::data
