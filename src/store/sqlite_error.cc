#include "store/sqlite_error.h"

#include <sqlite3.h>

namespace crossbind::store {

Error error_of(const SQLite::Exception& exception, const std::filesystem::path& path) {
  const auto error = [&](ErrorKind kind, std::string message, std::string hint = {}) {
    return Error{kind, std::move(message), path.string(), std::move(hint)};
  };
  switch (exception.getErrorCode()) {
    case SQLITE_FULL:
      return error(ErrorKind::kIo,
                   "the disk is full: nothing of this was stored, what was there before is intact",
                   "Free some space there.");
    case SQLITE_BUSY:
      return error(
          ErrorKind::kUnavailable,
          fmt::format("another program has been writing to the store for {} s", kPatience.count()),
          "Try again when it has ended.");
    case SQLITE_NOTADB:
      return error(ErrorKind::kCorrupt, "is not an SQLite database and is left as it is");
    case SQLITE_CORRUPT:
      return error(ErrorKind::kCorrupt,
                   fmt::format("is damaged: {}", exception.what()),
                   "'crossbind store check' says what is wrong; put a copy in its place.");
    case SQLITE_READONLY:
      return error(ErrorKind::kIo, fmt::format("cannot be written: {}", exception.what()));
    case SQLITE_CANTOPEN:
      return error(ErrorKind::kIo,
                   fmt::format("cannot be opened: {}", exception.what()),
                   "Its directory must exist and allow writing, for reading too: SQLite keeps a "
                   "-wal and a -shm file beside it.");
    default:
      return error(ErrorKind::kIo, fmt::format("SQLite failed: {}", exception.what()));
  }
}

}  // namespace crossbind::store
