// Notices that somebody else has written to a store's file, or has put another file in its place.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "store/sqlite_store.h"

namespace crossbind::serve {

class StoreWatch {
 public:
  explicit StoreWatch(std::filesystem::path path) : path_(std::move(path)) {}

  // Whether it has since the last call; the first time it has. An error is the store's.
  [[nodiscard]] Result<bool> has_changed();

 private:
  [[nodiscard]] bool is_another_file();

  std::filesystem::path path_;
  std::optional<store::SqliteStore> store_;
  std::pair<dev_t, ino_t> file_;
  int64_t version_ = 0;
};

}  // namespace crossbind::serve
