// Notices changes of a store's file by SQLite's data_version, and another file in its place by what
// the file system says of it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "store/change_notice.h"
#include "store/sqlite_store.h"

namespace crossbind::store {

class SqliteWatch final : public ChangeNotice {
 public:
  explicit SqliteWatch(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] Result<bool> has_changed() override;

 private:
  [[nodiscard]] bool is_another_file();

  std::filesystem::path path_;
  std::optional<SqliteStore> store_;
  std::pair<dev_t, ino_t> file_;
  int64_t version_ = 0;
};

}  // namespace crossbind::store
