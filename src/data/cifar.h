// The batches of CIFAR-10's binary version: records of one label byte and 3072 pixel bytes, red
// plane, green plane, blue plane, each 32 by 32 row by row. No header. Copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace crossbind::data {

inline constexpr int64_t kCifarSide = 32;
inline constexpr size_t kCifarPixels = 3 * kCifarSide * kCifarSide;
inline constexpr size_t kCifarRecord = 1 + kCifarPixels;
inline constexpr int64_t kCifarClasses = 10;

class CifarBatch {
 public:
  // Checks the length and every label; `place` names the file in errors.
  [[nodiscard]] static Result<CifarBatch> parse(std::span<const std::byte> file,
                                                const std::string& place);

  [[nodiscard]] size_t size() const { return records_.size() / kCifarRecord; }
  [[nodiscard]] int64_t label(size_t i) const {
    return std::to_integer<int64_t>(records_[i * kCifarRecord]);
  }
  [[nodiscard]] std::span<const std::byte> pixels(size_t i) const {
    return records_.subspan(i * kCifarRecord + 1, kCifarPixels);
  }

 private:
  explicit CifarBatch(std::span<const std::byte> records) : records_(records) {}

  std::span<const std::byte> records_;
};

}  // namespace crossbind::data
