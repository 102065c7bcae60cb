#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace crossbind {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

// mkstemp makes files private; a finished file gets what open() with the user's umask would give.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666 & ~mask);
}

// offset: bytes in the file so far; counts on.
Status write_all(int fd,
                 std::span<const std::byte> bytes,
                 const std::string& path,
                 uint64_t& offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail_errno(fmt::format("cannot write at byte {}", offset), path);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
    // Lets the disk begin now, so that fsync() at the end has little left to wait for.
    ::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  return {};
}

std::string temporary_pattern(const std::filesystem::path& target) {
  return (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
}

constexpr std::string_view kTemporaryPrefix = "crossbind.";

// Removes the temporary directories of processes that no longer run.
void sweep(const std::filesystem::path& parent) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(parent, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTemporaryPrefix)) {
      continue;
    }
    char* end = nullptr;
    const long pid = std::strtol(name.c_str() + kTemporaryPrefix.size(), &end, 10);
    if (pid > 0 && *end == '.' && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
      std::filesystem::remove_all(entry.path(), code);
    }
  }
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  CB_ASSIGN(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  CB_ASSIGN(AtomicFile file, AtomicFile::create(path));
  CB_TRY(file.write(content));
  return file.commit();
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail_errno("cannot open", path.string());
  }
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    auto error = fail_errno("cannot stat", path.string());
    ::close(fd);
    return error;
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return tl::unexpected(Error{ErrorKind::kInvalid, "not a regular file", path.string(), {}});
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return MappedFile(nullptr, 0);
  }
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) {
    return fail_errno("cannot map", path.string());
  }
  return MappedFile(static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(const_cast<std::byte*>(data_), size_);
  }
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  std::error_code code;
  auto target = std::filesystem::absolute(path, code);
  if (std::filesystem::is_symlink(target, code)) {
    target =
        std::filesystem::weakly_canonical(target, code);  // the link stays, its file is replaced
  }
  const auto status = std::filesystem::status(target, code);
  if (!target.has_filename() ||
      (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                "is not a regular file",
                                target.string(),
                                "Name a file to write; it is replaced as a whole."});
  }
  std::filesystem::create_directories(target.parent_path(), code);
  if (code) {
    return tl::unexpected(Error{ErrorKind::kIo,
                                "cannot create the directory: " + code.message(),
                                target.parent_path(),
                                {}});
  }
  const int nameless = ::open(target.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (nameless >= 0) {
    return AtomicFile(nameless, std::move(target), {});
  }
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return fail_errno("cannot create a file in", target.parent_path().string());
  }
  std::string name = temporary_pattern(target);
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) {
    return fail_errno("cannot create", name);
  }
  ::fchmod(fd, default_mode());
  return AtomicFile(fd, std::move(target), name);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) {
    ::close(fd_);
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
    }
  }
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  if (bytes.size() >= kBufferSize) {
    CB_TRY(flush());
    return write_all(fd_, bytes, target_.string(), written_);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return buffer_.size() >= kBufferSize ? flush() : Status{};
}

Status AtomicFile::write(std::string_view text) {
  return write(std::as_bytes(std::span(text.data(), text.size())));
}

Status AtomicFile::flush() {
  CB_TRY(write_all(fd_, buffer_, target_.string(), written_));
  buffer_.clear();
  return {};
}

Status AtomicFile::commit() {
  CB_TRY(flush());
  if (::fsync(fd_) != 0) {
    return fail_errno("cannot flush", target_.string());
  }
  if (temporary_.empty()) {
    // linkat() cannot replace an existing file, rename() can: go through a short-lived name.
    std::string name = temporary_pattern(target_);
    const int placeholder = ::mkostemp(name.data(), O_CLOEXEC);
    if (placeholder < 0) {
      return fail_errno("cannot create", name);
    }
    ::close(placeholder);
    ::unlink(name.c_str());
    const std::string source = fmt::format("/proc/self/fd/{}", fd_);
    if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return fail_errno("cannot link", name);
    }
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return fail_errno("cannot rename to", target_.string());
  }
  temporary_.clear();
  ::close(std::exchange(fd_, -1));
  return {};
}

Result<TemporaryDirectory> TemporaryDirectory::create() {
  std::error_code code;
  const auto base = std::filesystem::temp_directory_path(code);
  return create_in(code ? std::filesystem::path("/tmp") : base);
}

Result<TemporaryDirectory> TemporaryDirectory::create_in(const std::filesystem::path& parent) {
  std::error_code code;
  std::filesystem::create_directories(parent, code);
  sweep(parent);
  std::string name = (parent / fmt::format("{}{}.XXXXXX", kTemporaryPrefix, ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno("cannot create a temporary directory", name);
  }
  return TemporaryDirectory(name);
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace crossbind
