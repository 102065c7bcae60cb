// Any bytes are either whole CIFAR records with valid labels or an error.
#include <cstdlib>

#include "data/cifar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto batch =
      crossbind::data::CifarBatch::parse(std::as_bytes(std::span(data, size)), "fuzz");
  if (!batch) {
    return 0;
  }
  size_t pixels = 0;
  for (size_t i = 0; i < batch->size(); ++i) {
    if (batch->label(i) >= crossbind::data::kCifarClasses) {
      std::abort();
    }
    pixels += batch->pixels(i).size();
  }
  if (pixels + batch->size() != size) {
    std::abort();
  }
  return 0;
}
