#include "store/sqlite_trial.h"

#include "store/sqlite_row.h"

namespace crossbind::store {
namespace {

using std::chrono::microseconds;

// The columns of a summary, in the order in which write_summary and read_summary go through them.
std::string summary_columns() {
  std::string columns = "identity";
  for (const auto& axis : kTextAxes) {
    columns += fmt::format(", {}", axis.name);
  }
  return columns +
         ", seed, repeat, outcome, reason, started_us, wall_us, user_us, system_us, "
         "peak_memory_bytes";
}

std::optional<int64_t> count_of(const std::optional<microseconds>& duration) {
  return duration ? std::optional<int64_t>(duration->count()) : std::nullopt;
}

std::optional<microseconds> duration_of(const std::optional<int64_t>& count) {
  return count ? std::optional(microseconds(*count)) : std::nullopt;
}

void write_summary(Parameters& row, const TrialSummary& trial, const std::string& outcome) {
  row.text(trial.identity);
  for (const auto& axis : kTextAxes) {
    row.text(trial.axes.*axis.field);
  }
  row.integer(int64_t{trial.axes.seed}).integer(int64_t{trial.axes.repeat});
  row.text(outcome).text(trial.reason);
  row.integer(int64_t{trial.started.time_since_epoch().count()});
  row.integer(count_of(trial.wall)).integer(count_of(trial.user)).integer(count_of(trial.system));
  row.integer(trial.peak_memory ? std::optional(static_cast<int64_t>(*trial.peak_memory))
                                : std::nullopt);
}

Outcome parse_outcome(const std::string& name) {
  const auto outcome = outcome_from(name);
  if (!outcome) {
    throw SQLite::Exception(fmt::format("a trial has the outcome '{}', which there is not", name));
  }
  return *outcome;
}

void read_summary(Columns& row, TrialSummary& trial) {
  trial.identity = row.text();
  for (const auto& axis : kTextAxes) {
    trial.axes.*axis.field = row.text();
  }
  trial.axes.seed = static_cast<uint32_t>(row.integer());
  trial.axes.repeat = static_cast<int>(row.integer());
  trial.outcome = parse_outcome(row.text());
  trial.reason = row.text();
  trial.started = Time(microseconds(row.integer()));
  trial.wall = duration_of(row.optional_integer());
  trial.user = duration_of(row.optional_integer());
  trial.system = duration_of(row.optional_integer());
  if (const auto bytes = row.optional_integer()) {
    trial.peak_memory = static_cast<uint64_t>(*bytes);
  }
}

// The id of the row whose unique column has this value, which is inserted where it is missing.
struct Entry {
  int64_t id = 0;
  bool is_new = false;
};

Entry find_or_insert(SQLite::Database& database,
                     const char* table,
                     const char* column,
                     const std::string& value) {
  SQLite::Statement insert(
      database,
      fmt::format("INSERT INTO {} ({}) VALUES (?) ON CONFLICT DO NOTHING", table, column));
  insert.bindNoCopy(1, value);
  if (insert.exec() == 1) {
    return {database.getLastInsertRowid(), true};
  }
  SQLite::Statement find(database, fmt::format("SELECT id FROM {} WHERE {} = ?", table, column));
  find.bindNoCopy(1, value);
  find.executeStep();
  return {find.getColumn(0).getInt64(), false};
}

int64_t write_environment(SQLite::Database& database, const Environment& environment) {
  const auto entry = find_or_insert(database, "environment", "sha256", sha256_of(environment));
  if (entry.is_new) {
    SQLite::Statement insert(database, "INSERT INTO environment_entry VALUES (?, ?, ?)");
    for (const auto& [name, value] : environment) {
      Parameters(insert).integer(entry.id).text(name).text(value).execute();
    }
  }
  return entry.id;
}

void write_texts(SQLite::Database& database, int64_t id, const TrialRecord& trial) {
  SQLite::Statement setting(database, "INSERT INTO setting VALUES (?, ?, ?, ?)");
  for (const auto& [name, requested, effective] : trial.settings) {
    Parameters(setting).integer(id).text(name).text(requested).text(effective).execute();
  }
  SQLite::Statement fact(database, "INSERT INTO fact VALUES (?, ?, ?)");
  for (const auto& [name, value] : trial.facts) {
    Parameters(fact).integer(id).text(name).text(value).execute();
  }
  if (!trial.log.empty()) {
    SQLite::Statement log(database, "INSERT INTO log VALUES (?, ?)");
    Parameters(log).integer(id).blob(trial.log).execute();
  }
}

void write_numbers(SQLite::Database& database, int64_t id, const TrialRecord& trial) {
  SQLite::Statement point(database, "INSERT INTO curve VALUES (?, ?, ?, ?, ?)");
  for (const auto& [epoch, loss, train, test] : trial.curve) {
    Parameters(point)
        .integer(id)
        .integer(int64_t{epoch})
        .real(loss)
        .real(train)
        .real(test)
        .execute();
  }
  SQLite::Statement sample(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?)");
  sample.bind(1, id);
  for (const auto& series : trial.series) {
    sample.bind(2, find_or_insert(database, "metric", "name", series.metric).id);
    sample.bind(3, series.epoch);
    for (size_t step = 0; step < series.values.size(); ++step) {
      sample.bind(4, static_cast<int64_t>(step));
      sample.bind(5, series.values[step]);
      sample.exec();
      sample.reset();
    }
  }
}

}  // namespace

std::optional<TrialKey> find_key(const SQLite::Database& database, const std::string& identity) {
  SQLite::Statement find(database, "SELECT id, outcome FROM trial WHERE identity = ?");
  find.bindNoCopy(1, identity);
  if (!find.executeStep()) {
    return std::nullopt;
  }
  return TrialKey{find.getColumn(0).getInt64(), parse_outcome(find.getColumn(1).getString())};
}

int64_t write_trial(SQLite::Database& database,
                    const TrialRecord& trial,
                    const std::optional<int64_t>& id) {
  const int64_t host = write_environment(database, trial.host);
  const int64_t worker = write_environment(database, trial.worker);
  constexpr size_t kNumbersAndOutcome = 9;
  std::string marks = "?";
  for (size_t i = 0; i < kTextAxes.size() + kNumbersAndOutcome; ++i) {
    marks += ", ?";
  }
  SQLite::Statement insert(database,
                           fmt::format("INSERT INTO trial ({}, id, host, worker) "
                                       "VALUES ({}, ?, ?, ?)",
                                       summary_columns(),
                                       marks));
  const std::string outcome(name_of(trial.outcome));
  Parameters row(insert);
  write_summary(row, trial, outcome);
  row.integer(id).integer(host).integer(worker).execute();
  const int64_t written = database.getLastInsertRowid();
  write_texts(database, written, trial);
  write_numbers(database, written, trial);
  return written;
}

std::vector<TrialSummary> read_summaries(const SQLite::Database& database,
                                         const std::optional<int64_t>& study) {
  SQLite::Statement select(
      database,
      fmt::format("SELECT {} FROM trial {} ORDER BY id",
                  summary_columns(),
                  study ? "WHERE id IN (SELECT trial FROM study_trial WHERE study = ?)" : ""));
  if (study) {
    select.bind(1, *study);
  }
  std::vector<TrialSummary> summaries;
  while (select.executeStep()) {
    Columns row(select);
    read_summary(row, summaries.emplace_back());
  }
  return summaries;
}

Outcomes read_outcomes(const SQLite::Database& database) {
  SQLite::Statement select(database, "SELECT identity, outcome, reason FROM trial");
  Outcomes outcomes;
  while (select.executeStep()) {
    Columns row(select);
    std::string identity = row.text();
    const Outcome outcome = parse_outcome(row.text());
    outcomes.emplace(std::move(identity), StoredOutcome{outcome, row.text()});
  }
  return outcomes;
}

TrialReader::TrialReader(const SQLite::Database& database)
    : trial_(database,
             fmt::format("SELECT {}, id, host, worker FROM trial WHERE identity = ?",
                         summary_columns())),
      settings_(database, "SELECT name, requested, effective FROM setting WHERE trial = ?"),
      facts_(database, "SELECT name, value FROM fact WHERE trial = ?"),
      curve_(database,
             "SELECT epoch, loss, train_accuracy, test_accuracy FROM curve WHERE trial = ?"),
      samples_(database,
               "SELECT metric.name, sample.metric, epoch, value FROM sample "
               "JOIN metric ON metric.id = sample.metric WHERE trial = ? "
               "ORDER BY sample.metric, epoch, step"),
      log_(database, "SELECT bytes FROM log WHERE trial = ?"),
      environment_(database, "SELECT name, value FROM environment_entry WHERE environment = ?") {}

std::optional<TrialRecord> TrialReader::read(const std::string& identity) {
  trial_.reset();
  trial_.bind(1, identity);
  if (!trial_.executeStep()) {
    return std::nullopt;
  }
  TrialRecord trial;
  Columns row(trial_);
  read_summary(row, trial);
  const int64_t id = row.integer();
  trial.host = environment(row.integer());
  trial.worker = environment(row.integer());
  for (auto* statement : {&settings_, &facts_, &curve_, &samples_, &log_}) {
    statement->reset();
    statement->bind(1, id);
  }
  while (settings_.executeStep()) {
    Columns columns(settings_);
    auto& setting = trial.settings.emplace_back();
    setting.name = columns.text();
    setting.requested = columns.text();
    setting.effective = columns.text();
  }
  while (facts_.executeStep()) {
    trial.facts[facts_.getColumn(0).getString()] = facts_.getColumn(1).getString();
  }
  read_curve(trial);
  read_series(trial);
  if (log_.executeStep()) {
    trial.log = log_.getColumn(0).getString();
  }
  sort_parts(trial);
  return trial;
}

void TrialReader::read_curve(TrialRecord& trial) {
  while (curve_.executeStep()) {
    Columns columns(curve_);
    auto& point = trial.curve.emplace_back();
    point.epoch = static_cast<int>(columns.integer());
    point.loss = columns.optional_real();
    point.train_accuracy = columns.optional_real();
    point.test_accuracy = columns.optional_real();
  }
}

void TrialReader::read_series(TrialRecord& trial) {
  std::optional<std::pair<int64_t, int>> current;  // metric and epoch
  while (samples_.executeStep()) {
    const std::pair next(samples_.getColumn(1).getInt64(), samples_.getColumn(2).getInt());
    if (current != next) {
      trial.series.push_back({samples_.getColumn(0).getString(), next.second, {}});
      current = next;
    }
    trial.series.back().values.push_back(samples_.getColumn(3).getDouble());
  }
}

const Environment& TrialReader::environment(int64_t id) {
  const auto [entry, is_new] = environments_.try_emplace(id);
  if (is_new) {
    environment_.reset();
    environment_.bind(1, id);
    while (environment_.executeStep()) {
      entry->second[environment_.getColumn(0).getString()] = environment_.getColumn(1).getString();
    }
  }
  return entry->second;
}

}  // namespace crossbind::store
