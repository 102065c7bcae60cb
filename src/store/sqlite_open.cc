#include "store/sqlite_open.h"

#include <sqlite3.h>

#include <sys/statvfs.h>

#include <cctype>
#include <thread>

#include "store/sqlite_error.h"
#include "store/sqlite_schema.h"

namespace crossbind::store {
namespace {

using DatabasePtr = std::unique_ptr<SQLite::Database>;

DatabasePtr connect(const std::string& file, int flags) {
  constexpr int kMilliseconds = std::chrono::milliseconds(kPatience).count();
  return std::make_unique<SQLite::Database>(file, flags, kMilliseconds);
}

// "file:" and the path with all but letters, digits and a few marks escaped.
std::string immutable_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

// On a read-only file system SQLite cannot make the files it shares with writers, nor can there be
// any. What a writer left in a -wal file would go unseen, so then this is not the way.
bool may_be_read_as_immutable(const std::filesystem::path& path) {
  struct statvfs system {};
  if (::statvfs(path.c_str(), &system) != 0 || (system.f_flag & ST_RDONLY) == 0) {
    return false;
  }
  std::error_code error;
  const auto wal_size = std::filesystem::file_size(path.string() + "-wal", error);
  return error || wal_size == 0;
}

Status check_version_for_reading(const SQLite::Database& database) {
  const int version = schema_version(database);
  if (version == 0) {
    return fail(ErrorKind::kInvalid, "is an empty database, not a store");
  }
  if (version < kOldestReadable) {
    return tl::unexpected(
        Error{ErrorKind::kUnsupported,
              fmt::format("has schema version {}, this program reads versions {} to {}",
                          version,
                          kOldestReadable,
                          migrations().size()),
              {},
              "Any command that writes to it converts it."});
  }
  return {};
}

Result<DatabasePtr> open_for_reading(const std::filesystem::path& path) {
  const auto checked = [](DatabasePtr database) -> Result<DatabasePtr> {
    CB_TRY(check_ownership(*database, migrations()));
    CB_TRY(check_version_for_reading(*database));
    return database;
  };
  try {
    return checked(connect(path.string(), SQLite::OPEN_READONLY));
  } catch (const SQLite::Exception& exception) {
    if (exception.getErrorCode() != SQLITE_CANTOPEN || !may_be_read_as_immutable(path)) {
      throw;
    }
  }
  return checked(connect(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI));
}

// SQLite does not wait for other processes when it changes the journal, so this does.
void use_write_ahead_log(SQLite::Database& database) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int code = database.tryExec("PRAGMA journal_mode = WAL");
  while (code == SQLITE_BUSY && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    code = database.tryExec("PRAGMA journal_mode = WAL");
  }
  database.check(code);
}

Result<DatabasePtr> open_for_writing(const std::filesystem::path& path) {
  auto database = connect(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  CB_TRY(check_ownership(*database, migrations()));
  use_write_ahead_log(*database);
  // The log is written by each commit but flushed to the disk only now and then: it survives the
  // death of the process, and a loss of power costs the last commits, never the file's soundness.
  database->exec("PRAGMA synchronous = NORMAL");
  database->exec("PRAGMA foreign_keys = ON");
  CB_TRY(migrate(*database, migrations()));
  return database;
}

}  // namespace

Result<DatabasePtr> open_database(const std::filesystem::path& path, Access access) {
  // Absolute, because SQLite gives a meaning of its own to names such as ":memory:".
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto type = std::filesystem::status(absolute, error).type();
  if (access == Access::kReadOnly && type == std::filesystem::file_type::not_found) {
    return fail(ErrorKind::kNotFound, "there is no store {}", path.string());
  }
  if (std::filesystem::exists(std::filesystem::file_status(type)) &&
      type != std::filesystem::file_type::regular) {
    return tl::unexpected(Error{ErrorKind::kInvalid, "is not a regular file", path.string(), {}});
  }
  return caught(path, [&] {
    return access == Access::kReadOnly ? open_for_reading(absolute) : open_for_writing(absolute);
  });
}

}  // namespace crossbind::store
