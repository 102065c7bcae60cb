#include "workers/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace crossbind::workers {
namespace {

// The lock's holder may have removed the file while we waited: then the lock is on nothing.
bool is_still_there(int fd, const std::filesystem::path& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

// A descriptor that holds the lock, or -1 when others do and we are not to wait.
Result<int> lock(const std::filesystem::path& path, int operation) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
      return fail_errno("cannot open the lock", path.string());
    }
    int locked = 0;
    do {
      locked = ::flock(fd, operation);
    } while (locked != 0 && errno == EINTR);
    if (locked == 0 && is_still_there(fd, path)) {
      return fd;
    }
    const int code = errno;
    ::close(fd);
    if (locked != 0) {
      if (code == EWOULDBLOCK) {
        return -1;
      }
      errno = code;
      return fail_errno("cannot lock", path.string());
    }
  }
}

int operation_of(FileLock::Mode mode) {
  return mode == FileLock::Mode::kShared ? LOCK_SH : LOCK_EX;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::filesystem::path& path, Mode mode) {
  CB_ASSIGN(const int fd, lock(path, operation_of(mode)));
  return FileLock(fd);
}

Result<std::optional<FileLock>> FileLock::try_acquire(const std::filesystem::path& path,
                                                      Mode mode) {
  CB_ASSIGN(const int fd, lock(path, operation_of(mode) | LOCK_NB));
  return fd < 0 ? std::nullopt : std::optional(FileLock(fd));
}

FileLock::~FileLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

}  // namespace crossbind::workers
