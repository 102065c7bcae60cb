// The IDX files of MNIST and Fashion-MNIST: big-endian magic (0, 0, type, rank), rank dimensions,
// then the elements. Only unsigned bytes, as these data sets have. Copies nothing.
//
//   file   = 0x00 0x00 0x08 rank dimension{rank} byte{product of dimensions}
//   images = rank 3: samples, rows, columns          labels = rank 1: samples
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace crossbind::data {

struct IdxImages {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  std::span<const std::byte> pixels;
};

// `place` names the file in errors.
[[nodiscard]] Result<IdxImages> parse_idx_images(std::span<const std::byte> file,
                                                 const std::string& place);

// One byte a label, each below `classes`.
[[nodiscard]] Result<std::span<const std::byte>> parse_idx_labels(std::span<const std::byte> file,
                                                                  int64_t classes,
                                                                  const std::string& place);

}  // namespace crossbind::data
