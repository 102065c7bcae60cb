// A trial as rows of the SQLite store, there and back. Functions here let SQLite's exceptions out:
// SqliteStore catches them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/result_store.h"

namespace crossbind::store {

struct TrialKey {
  int64_t id = 0;
  Outcome outcome = Outcome::kDone;
};

[[nodiscard]] std::optional<TrialKey> find_key(const SQLite::Database& database,
                                               const std::string& identity);

// Writes all rows of a trial, under the given id where it takes the place of another, and returns
// its id. To be called in a transaction.
int64_t write_trial(SQLite::Database& database,
                    const TrialRecord& trial,
                    const std::optional<int64_t>& id);

// In the order they were added; of one study (its row id), or all.
[[nodiscard]] std::vector<TrialSummary> read_summaries(const SQLite::Database& database,
                                                       const std::optional<int64_t>& study);

[[nodiscard]] Outcomes read_outcomes(const SQLite::Database& database);

// Reads whole trials; its statements are prepared once and its environments read once.
class TrialReader {
 public:
  explicit TrialReader(const SQLite::Database& database);

  [[nodiscard]] std::optional<TrialRecord> read(const std::string& identity);

 private:
  void read_curve(TrialRecord& trial);
  void read_series(TrialRecord& trial);
  [[nodiscard]] const Environment& environment(int64_t id);

  SQLite::Statement trial_;
  SQLite::Statement settings_;
  SQLite::Statement facts_;
  SQLite::Statement curve_;
  SQLite::Statement samples_;
  SQLite::Statement log_;
  SQLite::Statement environment_;
  std::map<int64_t, Environment> environments_;
};

}  // namespace crossbind::store
