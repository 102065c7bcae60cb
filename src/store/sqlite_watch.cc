#include "store/sqlite_watch.h"

#include <sys/stat.h>

namespace crossbind::store {

bool SqliteWatch::is_another_file() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    return true;
  }
  const std::pair<dev_t, ino_t> found(status.st_dev, status.st_ino);
  const bool is_other = found != file_;
  file_ = found;
  return is_other;
}

Result<bool> SqliteWatch::has_changed() {
  if (is_another_file() || !store_) {
    store_.reset();
    CB_ASSIGN(auto opened, SqliteStore::open(path_, Access::kReadOnly));
    CB_ASSIGN(version_, opened.version());
    store_ = std::move(opened);
    return true;
  }
  CB_ASSIGN(const int64_t version, store_->version());
  return std::exchange(version_, version) != version;
}

}  // namespace crossbind::store
