// Any bytes are either a safetensors file, whose tensors then lie inside it, or an error.
#include <cstdlib>

#include "tensor/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto header = crossbind::tensor::parse_safetensors(bytes, "fuzz.safetensors");
  if (!header) {
    return 0;
  }
  for (const auto& info : header->tensors) {
    const auto count = crossbind::tensor::element_count(info.shape);
    const bool inside = info.begin <= info.end && header->data_offset + info.end <= size;
    if (!inside || !count ||
        static_cast<uint64_t>(*count) * size_of(info.dtype) != info.end - info.begin) {
      std::abort();
    }
  }
  return 0;
}
