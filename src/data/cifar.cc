#include "data/cifar.h"

#include "data/source.h"

namespace crossbind::data {

Result<CifarBatch> CifarBatch::parse(std::span<const std::byte> file, const std::string& place) {
  const size_t rest = file.size() % kCifarRecord;
  if (file.empty() || rest != 0) {
    return tl::unexpected(
        Error{ErrorKind::kCorrupt,
              fmt::format("ends after {} of the {} bytes of a record", rest, kCifarRecord),
              at_byte(place, file.size()),
              {}});
  }
  CifarBatch batch(file);
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch.label(i) >= kCifarClasses) {
      return tl::unexpected(Error{
          ErrorKind::kCorrupt,
          fmt::format(
              "label {} of sample {} is out of range 0..{}", batch.label(i), i, kCifarClasses - 1),
          at_byte(place, i * kCifarRecord),
          {}});
    }
  }
  return batch;
}

}  // namespace crossbind::data
