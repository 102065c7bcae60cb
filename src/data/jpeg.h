// Decodes one colour JPEG into planes. Always the accurate integer transform, so that the bytes are
// the same on every machine; damaged data is an error, never a grey patch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace crossbind::data {

// Fills `planes` (red, green, blue, each height x width) from a JPEG of exactly that size;
// planes.size() == 3 * height * width. A grey JPEG gives three equal planes.
[[nodiscard]] Status decode_jpeg(std::span<const std::byte> file,
                                 int64_t height,
                                 int64_t width,
                                 std::span<uint8_t> planes,
                                 const std::string& place);

}  // namespace crossbind::data
