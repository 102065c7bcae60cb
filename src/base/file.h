// Files: read whole, map, write atomically, and temporary directories. Knows no format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind {

[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

// Replaces the file as a whole or leaves it as it was.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

// A read-only memory map of a whole file. Movable; unmaps itself.
class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, size_t size) : data_(data), size_(size) {}

  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// A file that comes into being only by commit(). Until then it has no name where the file system
// allows that (O_TMPFILE), so that not even kill -9 leaves anything behind.
class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  [[nodiscard]] Status write(std::span<const std::byte> bytes);
  [[nodiscard]] Status write(std::string_view text);

  // Flushes to disk and gives the file its name, replacing what was there.
  [[nodiscard]] Status commit();

 private:
  AtomicFile(int fd, std::filesystem::path target, std::filesystem::path temporary)
      : fd_(fd),
        target_(std::move(target)),
        temporary_(std::move(temporary)) {}

  [[nodiscard]] Status flush();

  int fd_ = -1;
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty while the file has no name
  uint64_t written_ = 0;
  std::vector<std::byte> buffer_;
};

// A fresh directory that is removed with everything in it.
class TemporaryDirectory {
 public:
  // In the system's place for temporary files, or in `parent`, which is made. What processes that
  // are gone (killed, say) left in that parent is removed first.
  [[nodiscard]] static Result<TemporaryDirectory> create();
  [[nodiscard]] static Result<TemporaryDirectory> create_in(const std::filesystem::path& parent);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace crossbind
