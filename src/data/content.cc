#include "data/content.h"

#include <array>
#include <future>

#include "base/digest.h"
#include "data/stage.h"

namespace crossbind::data {
namespace {

using tensor::SafetensorsWriter;

constexpr size_t kChunk = size_t{1} << 20;  // elements

// One correctly rounded division a value, done once for each byte.
constexpr std::array<float, 256> kScaled = [] {
  std::array<float, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<float>(i) / 255.0F;
  }
  return table;
}();

// Appends to the file while a second thread hashes: both take about as long.
class HashedWriter {
 public:
  HashedWriter(SafetensorsWriter writer, Stage& stage) : writer_(std::move(writer)), stage_(stage) {
    const auto header = writer_.header();
    sha_.update(std::as_bytes(std::span(header.data(), header.size())));
  }

  Status append(const Pixels& pixels) {
    for (size_t begin = 0; begin < pixels.size(); begin += kChunk) {
      const auto part = std::span(pixels).subspan(begin, std::min(kChunk, pixels.size() - begin));
      auto& buffer = buffers_[turn_ ^= 1];  // the other one may still be being hashed
      buffer.resize(part.size());
      std::ranges::transform(part, buffer.begin(), [](uint8_t value) { return kScaled[value]; });
      CB_TRY(append_bytes(std::as_bytes(std::span(buffer))));
    }
    return {};
  }

  Status append(const Numbers& numbers) {
    for (size_t begin = 0; begin < numbers.size(); begin += kChunk) {
      const size_t count = std::min(kChunk, numbers.size() - begin);
      CB_TRY(append_bytes(std::as_bytes(std::span(numbers).subspan(begin, count))));
    }
    return {};
  }

  Result<std::string> finish() {
    wait();
    CB_TRY(writer_.finish());
    return sha_.hex();
  }

 private:
  Status append_bytes(std::span<const std::byte> bytes) {
    wait();
    hashing_ = std::async(std::launch::async, [this, bytes] { sha_.update(bytes); });
    CB_TRY(writer_.append(bytes));
    stage_.advance(done_ += bytes.size());
    return {};
  }

  void wait() {
    if (hashing_.valid()) {
      hashing_.get();
    }
  }

  SafetensorsWriter writer_;
  Stage& stage_;
  Sha256 sha_;
  std::array<std::vector<float>, 2> buffers_;
  size_t turn_ = 0;
  uint64_t done_ = 0;
  std::future<void> hashing_;  // last: its destructor waits while the rest is still alive
};

tensor::DType dtype_of(const Field& field) {
  return std::holds_alternative<Pixels>(field.values) ? tensor::DType::kF32 : tensor::DType::kI64;
}

}  // namespace

void add_images(Content& content, const std::string& split, Images images) {
  const auto count = static_cast<int64_t>(images.labels.size());
  content.fields.push_back({split + ".image",
                            {count, images.channels, images.height, images.width},
                            std::move(images.pixels)});
  content.fields.push_back({split + ".label", {count}, std::move(images.labels)});
}

Result<std::string> write_content(const Content& content,
                                  const std::filesystem::path& path,
                                  Progress& progress) {
  // Wide elements first, so that every tensor stays aligned in the file.
  std::vector<const Field*> order;
  for (const auto& field : content.fields) {
    order.push_back(&field);
  }
  std::ranges::stable_sort(
      order, std::greater{}, [](const Field* field) { return size_of(dtype_of(*field)); });
  std::vector<SafetensorsWriter::Entry> entries;
  uint64_t total = 0;
  for (const Field* field : order) {
    entries.push_back({field->name, dtype_of(*field), field->shape});
    CB_ASSIGN(const int64_t count, tensor::element_count(field->shape));
    total += static_cast<uint64_t>(count) * size_of(dtype_of(*field));
  }
  CB_ASSIGN(auto writer, SafetensorsWriter::create(path, entries, content.metadata));
  Stage stage(progress, "writing " + path.filename().string(), total, "B");
  HashedWriter hashed(std::move(writer), stage);
  for (const Field* field : order) {
    CB_TRY(std::visit([&](const auto& values) { return hashed.append(values); }, field->values));
  }
  return hashed.finish();
}

}  // namespace crossbind::data
