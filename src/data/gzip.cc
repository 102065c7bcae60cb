#include "data/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/text.h"
#include "data/source.h"

namespace crossbind::data {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr size_t kGrowth = size_t{1} << 20;

class Inflater {
 public:
  Inflater() : ready_(inflateInit2(&stream_, kGzipOnly) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  [[nodiscard]] bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_;
};

}  // namespace

Result<std::vector<std::byte>> gunzip(std::span<const std::byte> compressed,
                                      const std::string& place,
                                      size_t limit) {
  const auto bad = [&](const z_stream& stream, std::string message) {
    const size_t offset = compressed.size() - stream.avail_in;
    return tl::unexpected(
        Error{ErrorKind::kCorrupt, "bad gzip: " + std::move(message), at_byte(place, offset), {}});
  };
  Inflater inflater;
  z_stream& stream = inflater.stream();
  if (!inflater.ready() || compressed.size() > kMaximumMember) {
    return bad(stream, "cannot be decompressed here");
  }
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));  // zlib only reads
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::vector<std::byte> content;
  size_t used = 0;
  while (true) {
    if (used == content.size()) {
      content.resize(std::max(used + kGrowth, used * 2));
    }
    const size_t room = std::min<size_t>(content.size() - used, kMaximumMember);
    stream.next_out = reinterpret_cast<Bytef*>(&content[used]);
    stream.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream, Z_NO_FLUSH);
    used += room - stream.avail_out;
    if (used > limit) {
      return bad(stream, fmt::format("larger than the limit of {}", human_bytes(limit)));
    }
    if (code == Z_STREAM_END) {
      break;
    }
    if (code != Z_OK) {
      const bool ended = code == Z_BUF_ERROR;
      return bad(stream, ended ? "the file is truncated" : stream.msg ? stream.msg : "damaged");
    }
  }
  if (stream.avail_in != 0) {
    return bad(stream, "something follows the compressed data");
  }
  content.resize(used);
  return content;
}

}  // namespace crossbind::data
