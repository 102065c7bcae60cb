#include "data/jpeg.h"

// jpeglib.h needs FILE and size_t but does not include them.
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdio>

#include "data/source.h"

namespace crossbind::data {
namespace {

constexpr int kChannels = 3;
constexpr size_t kMaximumRow = 4096;

// libjpeg reports a fatal error by calling back; the callback must not return, hence the jump.
struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr callbacks{};
  std::jmp_buf failed{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

Decoder& decoder_of(j_common_ptr info) {
  return *static_cast<Decoder*>(info->client_data);
}

void keep_message(j_common_ptr info) {
  auto& decoder = decoder_of(info);
  if (decoder.message[0] == '\0') {
    info->err->format_message(info, decoder.message.data());
  }
}

[[noreturn]] void on_error(j_common_ptr info) {
  keep_message(info);
  std::longjmp(decoder_of(info).failed, 1);
}

// A warning (level -1) means that libjpeg papered over damaged data; higher levels are traces.
void on_message(j_common_ptr info, int level) {
  if (level < 0) {
    on_error(info);
  }
}

void separate(const uint8_t* row, int64_t y, int64_t height, int64_t width, uint8_t* planes) {
  for (int64_t x = 0; x < width; ++x) {
    for (int64_t c = 0; c < kChannels; ++c) {
      planes[(c * height + y) * width + x] = row[x * kChannels + c];
    }
  }
}

enum class Decoded { kDone, kFailed, kWrongSize };

// Holds nothing with a destructor: a longjmp would skip it.
Decoded decode(Decoder& decoder,
               std::span<const std::byte> file,
               int64_t height,
               int64_t width,
               uint8_t* planes) {
  auto& info = decoder.info;
  std::array<uint8_t, kMaximumRow * kChannels> row;
  if (setjmp(decoder.failed) != 0) {
    return Decoded::kFailed;
  }
  jpeg_create_decompress(&info);
  info.client_data = &decoder;
  jpeg_mem_src(&info,
               reinterpret_cast<const unsigned char*>(file.data()),
               static_cast<unsigned long>(file.size()));
  jpeg_read_header(&info, TRUE);
  if (info.image_width != width || info.image_height != height) {
    return Decoded::kWrongSize;
  }
  info.out_color_space = JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    const int64_t y = info.output_scanline;
    JSAMPROW target = row.data();
    jpeg_read_scanlines(&info, &target, 1);
    separate(row.data(), y, height, width, planes);
  }
  jpeg_finish_decompress(&info);
  return Decoded::kDone;
}

}  // namespace

Status decode_jpeg(std::span<const std::byte> file,
                   int64_t height,
                   int64_t width,
                   std::span<uint8_t> planes,
                   const std::string& place) {
  if (width > static_cast<int64_t>(kMaximumRow)) {
    return fail(ErrorKind::kUnsupported, "images wider than {} pixels", kMaximumRow);
  }
  Decoder decoder;
  decoder.info.err = jpeg_std_error(&decoder.callbacks);
  decoder.info.client_data = &decoder;
  decoder.callbacks.error_exit = on_error;
  decoder.callbacks.emit_message = on_message;
  const Decoded outcome = decode(decoder, file, height, width, planes.data());
  uint64_t offset = 0;
  if (decoder.info.src != nullptr) {
    // At the end libjpeg reads from a made-up end marker of its own: count from what is left.
    const size_t left = decoder.info.src->bytes_in_buffer;
    const auto* next = reinterpret_cast<const std::byte*>(decoder.info.src->next_input_byte);
    const bool inside = next >= file.data() && next <= file.data() + file.size();
    offset = inside ? file.size() - left : file.size();
  }
  const auto actual_width = decoder.info.image_width;
  const auto actual_height = decoder.info.image_height;
  jpeg_destroy_decompress(&decoder.info);
  if (outcome == Decoded::kDone) {
    return {};
  }
  std::string message =
      outcome == Decoded::kWrongSize
          ? fmt::format(
                "the image is {}x{}, expected {}x{}", actual_width, actual_height, width, height)
          : fmt::format("bad JPEG: {}", decoder.message.data());
  return tl::unexpected(Error{ErrorKind::kCorrupt, std::move(message), at_byte(place, offset), {}});
}

}  // namespace crossbind::data
