// A lock between processes on a file made for it (flock). Ends with the object, and with the
// process however that ends; children do not inherit it.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"

namespace crossbind::workers {

class FileLock {
 public:
  enum class Mode { kShared, kExclusive };

  // Waits for it.
  [[nodiscard]] static Result<FileLock> acquire(const std::filesystem::path& path, Mode mode);
  // Nothing when others hold it.
  [[nodiscard]] static Result<std::optional<FileLock>> try_acquire(
      const std::filesystem::path& path, Mode mode);

  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace crossbind::workers
