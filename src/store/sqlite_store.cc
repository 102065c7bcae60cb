#include "store/sqlite_store.h"

#include <sqlite3.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include "store/refusals.h"
#include "store/sqlite_check.h"
#include "store/sqlite_error.h"
#include "store/sqlite_open.h"
#include "store/sqlite_trial.h"

namespace crossbind::store {
namespace {

// All reading inside sees the store as of one moment.
class ReadScope {
 public:
  explicit ReadScope(SQLite::Database& database) : database_(database) {
    database_.exec("SAVEPOINT reading");
  }
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(const ReadScope&) = delete;
  ~ReadScope() { database_.tryExec("RELEASE reading"); }

 private:
  SQLite::Database& database_;
};

// A transaction, or a part of the one around it, that is undone unless it is committed.
class WriteScope {
 public:
  WriteScope(SQLite::Database& database, int& depth) : database_(database), depth_(depth) {
    const bool outermost = depth == 0;
    if (!outermost && sqlite3_get_autocommit(database.getHandle()) != 0) {
      throw SQLite::Exception("the transaction around this one has been undone");
    }
    // Immediate: a transaction that began by reading could not wait for another writer.
    database_.exec(outermost ? "BEGIN IMMEDIATE" : "SAVEPOINT writing");
    ++depth_;
  }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;
  ~WriteScope() {
    --depth_;
    if (!committed_) {
      database_.tryExec(depth_ == 0 ? "ROLLBACK" : "ROLLBACK TO writing; RELEASE writing");
    }
  }

  void commit() {
    database_.exec(depth_ == 1 ? "COMMIT" : "RELEASE writing");
    committed_ = true;
  }

 private:
  SQLite::Database& database_;
  int& depth_;
  bool committed_ = false;
};

Result<int64_t> study_key(const SQLite::Database& database, const StudyId& study) {
  SQLite::Statement find(database, "SELECT id FROM study WHERE sha256 = ?");
  find.bindNoCopy(1, study.sha256);
  if (!find.executeStep()) {
    return no_such_study(study);
  }
  return find.getColumn(0).getInt64();
}

Result<std::vector<TrialSummary>> summaries_of(const SQLite::Database& database,
                                               const std::optional<StudyId>& study) {
  std::optional<int64_t> key;
  if (study) {
    CB_ASSIGN(key, study_key(database, *study));
  }
  return read_summaries(database, key);
}

void link(SQLite::Database& database, int64_t study, int64_t trial) {
  SQLite::Statement insert(database,
                           "INSERT INTO study_trial VALUES (?, ?) ON CONFLICT DO NOTHING");
  insert.bind(1, study);
  insert.bind(2, trial);
  insert.exec();
}

}  // namespace

SqliteStore::SqliteStore(std::filesystem::path path, std::unique_ptr<SQLite::Database> database)
    : path_(std::move(path)),
      database_(std::move(database)) {}
SqliteStore::SqliteStore(SqliteStore&&) noexcept = default;
SqliteStore& SqliteStore::operator=(SqliteStore&&) noexcept = default;
SqliteStore::~SqliteStore() = default;

Result<SqliteStore> SqliteStore::open(const std::filesystem::path& path, Access access) {
  CB_ASSIGN(auto database, open_database(path, access));
  return SqliteStore(path, std::move(database));
}

Result<int64_t> SqliteStore::version() const {
  return caught(path_, [&]() -> Result<int64_t> {
    SQLite::Statement statement(*database_, "PRAGMA data_version");
    statement.executeStep();
    return statement.getColumn(0).getInt64();
  });
}

Status SqliteStore::transact(const std::function<Status()>& work) {
  return caught(path_, [&]() -> Status {
    WriteScope scope(*database_, depth_);
    CB_TRY(work());
    scope.commit();
    return {};
  });
}

Result<StudyId> SqliteStore::add_study(const StudyRecord& study) {
  StudyId id = id_of(study);
  CB_TRY(transact([&]() -> Status {
    SQLite::Statement insert(*database_,
                             "INSERT INTO study (sha256, name, text) VALUES (?, ?, ?) "
                             "ON CONFLICT DO NOTHING");
    insert.bindNoCopy(1, id.sha256);
    insert.bindNoCopy(2, study.name);
    insert.bindNoCopy(3, study.text);
    insert.exec();
    return {};
  }));
  return id;
}

Status SqliteStore::add_trial(const StudyId& study, const TrialRecord& trial) {
  CB_TRY(validate(trial));
  return transact([&]() -> Status {
    CB_ASSIGN(const int64_t study_id, study_key(*database_, study));
    std::optional<int64_t> place;
    if (const auto stored = find_key(*database_, trial.identity)) {
      if (stored->outcome != Outcome::kFailed) {
        return already_stored(trial.identity, stored->outcome);
      }
      place = stored->id;
      SQLite::Statement remove(*database_, "DELETE FROM trial WHERE id = ?");
      remove.bind(1, *place);
      remove.exec();
    }
    link(*database_, study_id, write_trial(*database_, trial, place));
    return {};
  });
}

Status SqliteStore::link_trial(const StudyId& study, const std::string& identity) {
  return transact([&]() -> Status {
    CB_ASSIGN(const int64_t study_id, study_key(*database_, study));
    const auto stored = find_key(*database_, identity);
    if (!stored) {
      return no_such_trial(identity);
    }
    link(*database_, study_id, stored->id);
    return {};
  });
}

Result<std::vector<StoredStudy>> SqliteStore::studies() const {
  return caught(path_, [&]() -> Result<std::vector<StoredStudy>> {
    SQLite::Statement select(*database_, "SELECT sha256, name, text FROM study ORDER BY id");
    std::vector<StoredStudy> studies;
    while (select.executeStep()) {
      studies.push_back({{select.getColumn(0).getString()},
                         {select.getColumn(1).getString(), select.getColumn(2).getString()}});
    }
    return studies;
  });
}

Result<std::vector<TrialSummary>> SqliteStore::trials(const std::optional<StudyId>& study) const {
  return caught(path_, [&] { return summaries_of(*database_, study); });
}

Result<Outcomes> SqliteStore::outcomes() const {
  return caught(path_, [&]() -> Result<Outcomes> { return read_outcomes(*database_); });
}

Result<std::optional<TrialRecord>> SqliteStore::find_trial(const std::string& identity) const {
  return caught(path_, [&]() -> Result<std::optional<TrialRecord>> {
    const ReadScope scope(*database_);
    return TrialReader(*database_).read(identity);
  });
}

Status SqliteStore::for_each_trial(const std::optional<StudyId>& study,
                                   const Visitor& visit) const {
  return caught(path_, [&]() -> Status {
    const ReadScope scope(*database_);
    CB_ASSIGN(const auto summaries, summaries_of(*database_, study));
    TrialReader reader(*database_);
    for (const auto& summary : summaries) {
      CB_TRY(visit(reader.read(summary.identity).value()));
    }
    return {};
  });
}

Result<std::vector<std::string>> SqliteStore::check() const {
  return caught(path_, [&]() -> Result<std::vector<std::string>> {
    const ReadScope scope(*database_);
    return problems_of(*database_);
  });
}

}  // namespace crossbind::store
