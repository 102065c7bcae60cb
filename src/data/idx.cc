#include "data/idx.h"

#include <array>

#include "base/text.h"
#include "data/source.h"

namespace crossbind::data {
namespace {

constexpr uint32_t kUnsignedBytes = 0x08;

template <typename... Args>
tl::unexpected<Error> bad(const std::string& place,
                          uint64_t offset,
                          fmt::format_string<Args...> format,
                          Args&&... args) {
  return tl::unexpected(Error{ErrorKind::kCorrupt,
                              fmt::format(format, std::forward<Args>(args)...),
                              at_byte(place, offset),
                              {}});
}

uint32_t big_endian(std::span<const std::byte> file, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = value << 8 | std::to_integer<uint32_t>(file[offset + i]);
  }
  return value;
}

// Checks magic, dimensions and length; fills the dimensions and returns the elements.
Result<std::span<const std::byte>> parse(std::span<const std::byte> file,
                                         std::span<int64_t> dimensions,
                                         const std::string& place) {
  if (file.size() < 4) {
    return bad(place, file.size(), "ends inside the magic number");
  }
  const uint32_t magic = big_endian(file, 0);
  const auto wanted = kUnsignedBytes << 8 | static_cast<uint32_t>(dimensions.size());
  if (magic != wanted) {
    return bad(place, 0, "wrong magic number 0x{:08x}, expected 0x{:08x}", magic, wanted);
  }
  const size_t header = 4 + 4 * dimensions.size();
  if (file.size() < header) {
    return bad(place, file.size(), "ends inside the header of {} bytes", header);
  }
  const uint64_t present = file.size() - header;
  uint64_t declared = 1;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const uint32_t dimension = big_endian(file, 4 + 4 * i);
    dimensions[i] = dimension;
    if (dimension == 0) {
      return bad(place, 4 + 4 * i, "dimension {} is zero", i + 1);
    }
    if (__builtin_mul_overflow(declared, uint64_t{dimension}, &declared)) {
      return bad(place, 4 + 4 * i, "the dimensions overflow");
    }
  }
  if (present < declared) {
    return bad(place, file.size(), "ends after {} of {} declared elements", present, declared);
  }
  if (present > declared) {
    const uint64_t more = present - declared;
    return bad(
        place, header + declared, "{} {} more than declared", more, plural(more, "byte", "bytes"));
  }
  return file.subspan(header);
}

}  // namespace

Result<IdxImages> parse_idx_images(std::span<const std::byte> file, const std::string& place) {
  std::array<int64_t, 3> dimensions{};
  CB_ASSIGN(const auto pixels, parse(file, dimensions, place));
  return IdxImages{dimensions[0], dimensions[1], dimensions[2], pixels};
}

Result<std::span<const std::byte>> parse_idx_labels(std::span<const std::byte> file,
                                                    int64_t classes,
                                                    const std::string& place) {
  std::array<int64_t, 1> dimensions{};
  CB_ASSIGN(const auto labels, parse(file, dimensions, place));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (const auto label = std::to_integer<int64_t>(labels[i]); label >= classes) {
      return bad(place,
                 static_cast<uint64_t>(labels.data() - file.data()) + i,
                 "label {} of sample {} is out of range 0..{}",
                 label,
                 i,
                 classes - 1);
    }
  }
  return labels;
}

}  // namespace crossbind::data
