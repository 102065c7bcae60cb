// Any bytes are either valid IDX or an error; what is accepted must be consistent.
#include <cstdlib>

#include "data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  if (const auto images = crossbind::data::parse_idx_images(file, "fuzz")) {
    const auto expected = static_cast<uint64_t>(images->count) *
                          static_cast<uint64_t>(images->rows) *
                          static_cast<uint64_t>(images->columns);
    if (images->pixels.size() != expected || expected + 16 != size) {
      std::abort();
    }
  }
  if (const auto labels = crossbind::data::parse_idx_labels(file, 10, "fuzz")) {
    for (const std::byte label : *labels) {
      if (std::to_integer<int>(label) >= 10) {
        std::abort();
      }
    }
  }
  return 0;
}
