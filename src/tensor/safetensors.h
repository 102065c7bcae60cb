// The safetensors format: 8 bytes little-endian header length, a JSON header that gives each
// tensor's type, shape and byte range, then the data. The reader maps the file and copies nothing;
// it accepts exactly what the format allows and names what is wrong with anything else. Own code:
// Debian has no library of it for C++.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "tensor/tensor.h"

namespace crossbind::tensor {

inline constexpr uint64_t kMaximumHeader =
    100'000'000;  // the limit of the reference implementation

using Metadata = std::map<std::string, std::string>;

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  uint64_t begin = 0;  // byte range inside the data part
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // in file order
  Metadata metadata;
  uint64_t data_offset = 0;  // where the data part begins
};

// Reads and checks a header against the whole file's bytes. `place` names the file in errors.
[[nodiscard]] Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                                          const std::string& place);

class SafetensorsFile {
 public:
  [[nodiscard]] static Result<SafetensorsFile> open(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
  [[nodiscard]] const Metadata& metadata() const { return header_.metadata; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Valid as long as this file is.
  [[nodiscard]] Result<TensorView> find(std::string_view name) const;

  // The elements of a tensor, checked for type; errors name the file and the tensor.
  template <typename T>
  [[nodiscard]] Result<std::span<const T>> values(std::string_view name) const {
    CB_ASSIGN(const TensorView view, find(name));
    auto elements = view.as<T>();
    if (!elements) {
      return tl::unexpected(
          std::move(elements).error().at(path_.string() + ": tensor '" + std::string(name) + "'"));
    }
    return elements;
  }

 private:
  SafetensorsFile(std::filesystem::path path, MappedFile file, SafetensorsHeader header)
      : path_(std::move(path)),
        file_(std::move(file)),
        header_(std::move(header)) {}

  std::filesystem::path path_;
  MappedFile file_;
  SafetensorsHeader header_;
  std::map<std::string, size_t, std::less<>> index_;
  // Aligned copies of the tensors that a foreign writer left unaligned; usually empty.
  std::map<std::string, std::vector<uint64_t>, std::less<>> realigned_;
};

// Writes tensors one after the other, without holding them; the file appears by finish().
class SafetensorsWriter {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kF32;
    Shape shape;
  };

  // The entries are written in the given order.
  [[nodiscard]] static Result<SafetensorsWriter> create(const std::filesystem::path& path,
                                                        const std::vector<Entry>& entries,
                                                        const Metadata& metadata);

  // The next bytes of the data part; may split tensors anywhere.
  [[nodiscard]] Status append(std::span<const std::byte> bytes);
  template <typename T>
  [[nodiscard]] Status append(std::span<const T> values) {
    return append(std::as_bytes(values));
  }

  // Fails when fewer or more bytes were appended than the entries declare.
  [[nodiscard]] Status finish();

  // What stands in the file before the data part: for a checksum made while writing.
  [[nodiscard]] const std::string& header() const { return header_; }

 private:
  SafetensorsWriter(AtomicFile file, std::string header, uint64_t expected)
      : file_(std::move(file)),
        header_(std::move(header)),
        expected_(expected) {}

  AtomicFile file_;
  std::string header_;
  uint64_t expected_;
  uint64_t written_ = 0;
};

[[nodiscard]] Status save_safetensors(const std::filesystem::path& path,
                                      const TensorMap& tensors,
                                      const Metadata& metadata);
[[nodiscard]] Result<TensorMap> load_safetensors(const std::filesystem::path& path);

}  // namespace crossbind::tensor
