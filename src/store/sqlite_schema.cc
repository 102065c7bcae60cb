#include "store/sqlite_schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

#include "store/record.h"

namespace crossbind::store {
namespace {

// Links are checked at the end of a transaction, so that a failed trial can be taken out and its
// successor put in its place. All else about a trial goes with it.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE environment_entry (
  environment INTEGER NOT NULL REFERENCES environment,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (environment, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  binding TEXT NOT NULL,
  model TEXT NOT NULL,
  dataset TEXT NOT NULL,
  device TEXT NOT NULL,
  task TEXT NOT NULL,
  loader TEXT NOT NULL,
  variant TEXT NOT NULL,
  measure TEXT NOT NULL,
  weights TEXT NOT NULL,
  seed INTEGER NOT NULL,
  repeat INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('done', 'unsupported', 'failed')),
  reason TEXT NOT NULL CHECK ((outcome = 'done') = (reason = '')),
  started_us INTEGER NOT NULL,
  wall_us INTEGER,
  user_us INTEGER,
  system_us INTEGER,
  peak_memory_bytes INTEGER,
  host INTEGER NOT NULL REFERENCES environment,
  worker INTEGER NOT NULL REFERENCES environment
) STRICT;

CREATE TABLE study_trial (
  study INTEGER NOT NULL REFERENCES study,
  trial INTEGER NOT NULL REFERENCES trial DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (study, trial)
) STRICT, WITHOUT ROWID;
CREATE INDEX study_of_trial ON study_trial (trial);

CREATE TABLE setting (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  requested TEXT NOT NULL,
  effective TEXT NOT NULL,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE curve (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  loss REAL NOT NULL,
  train_accuracy REAL,
  test_accuracy REAL,
  PRIMARY KEY (trial, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sample (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  metric INTEGER NOT NULL REFERENCES metric,
  epoch INTEGER NOT NULL,
  step INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, metric, epoch, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
  trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

CREATE VIEW samples AS
  SELECT trial.identity, trial.binding, trial.model, trial.dataset, trial.device, trial.task,
         trial.loader, trial.variant, trial.measure, trial.seed, trial.repeat,
         metric.name AS metric, sample.epoch, sample.step, sample.value
  FROM sample
  JOIN trial ON trial.id = sample.trial
  JOIN metric ON metric.id = sample.metric;
)sql";

// A curve that others measured may come without a loss. SQLite changes a column by a new table.
constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE new_curve (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  loss REAL,
  train_accuracy REAL,
  test_accuracy REAL,
  PRIMARY KEY (trial, epoch)
) STRICT, WITHOUT ROWID;
INSERT INTO new_curve SELECT * FROM curve;
DROP TABLE curve;
ALTER TABLE new_curve RENAME TO curve;
)sql";

// The view lacked an axis. From here on it is no part of any step, see samples_view.
constexpr std::string_view kVersion3 = "DROP VIEW samples;";

constexpr std::array<std::string_view, 3> kMigrations = {kVersion1, kVersion2, kVersion3};

// For people, who see every axis there is. Made of the axes themselves and anew after the last
// step, so that none can be forgotten and no step has to know what later ones add.
std::string samples_view() {
  std::string axes;
  for (const auto& axis : kTextAxes) {
    axes += fmt::format("trial.{}, ", axis.name);
  }
  return fmt::format(R"sql(
DROP VIEW IF EXISTS samples;
CREATE VIEW samples AS
  SELECT trial.identity, {}trial.seed, trial.repeat,
         metric.name AS metric, sample.epoch, sample.step, sample.value
  FROM sample
  JOIN trial ON trial.id = sample.trial
  JOIN metric ON metric.id = sample.metric;
)sql",
                     axes);
}

}  // namespace

Migrations migrations() {
  return kMigrations;
}

int schema_version(const SQLite::Database& database) {
  SQLite::Statement statement(database, "PRAGMA user_version");
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

Status check_ownership(const SQLite::Database& database, Migrations known) {
  // In one statement, because another process may be creating the store just now.
  SQLite::Statement header(database,
                           "SELECT (SELECT application_id FROM pragma_application_id), "
                           "(SELECT user_version FROM pragma_user_version), "
                           "(SELECT count(*) FROM sqlite_schema)");
  header.executeStep();
  const int application = header.getColumn(0).getInt();
  const int version = header.getColumn(1).getInt();
  const bool empty = application == 0 && version == 0 && header.getColumn(2).getInt() == 0;
  if (!empty && application != kApplicationId) {
    return fail(ErrorKind::kInvalid,
                "is an SQLite database of another program and is left as it is");
  }
  if (version > std::ssize(known)) {
    return tl::unexpected(Error{
        ErrorKind::kUnsupported,
        fmt::format("has schema version {}, this program knows versions up to {} and leaves it "
                    "as it is",
                    version,
                    known.size()),
        {},
        "Use the newer crossbind that wrote it, or another store."});
  }
  return {};
}

Status migrate(SQLite::Database& database, Migrations known) {
  while (schema_version(database) < std::ssize(known)) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    // Asked again under the lock: another process may have been at it.
    CB_TRY(check_ownership(database, known));
    const int version = schema_version(database);
    if (version < std::ssize(known)) {
      database.exec(std::string(known[version]));
      if (version + 1 == std::ssize(known)) {
        database.exec(samples_view());
      }
      database.exec(fmt::format(
          "PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, version + 1));
    }
    transaction.commit();
  }
  return {};
}

}  // namespace crossbind::store
