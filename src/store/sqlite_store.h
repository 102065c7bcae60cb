// A store in one SQLite file. docs/store.md describes its tables for those who read it otherwise.
//
// What add_trial reported as stored is there after kill -9 of the process. After a loss of power
// the last trials may be missing; the file is sound all the same.
#pragma once

#include <filesystem>
#include <memory>

#include "store/result_store.h"

namespace SQLite {  // NOLINT(readability-identifier-naming)
class Database;
}  // namespace SQLite

namespace crossbind::store {

enum class Access {
  kReadWrite,  // creates the file, and converts one of an earlier version
  kReadOnly,
};

class SqliteStore final : public ResultStore {
 public:
  [[nodiscard]] static Result<SqliteStore> open(const std::filesystem::path& path, Access access);

  // Another number than before when another connection has changed the store since.
  [[nodiscard]] Result<int64_t> version() const;

  SqliteStore(SqliteStore&&) noexcept;
  SqliteStore& operator=(SqliteStore&&) noexcept;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  ~SqliteStore() override;

  [[nodiscard]] Result<StudyId> add_study(const StudyRecord& study) override;
  [[nodiscard]] Status add_trial(const StudyId& study, const TrialRecord& trial) override;
  [[nodiscard]] Status link_trial(const StudyId& study, const std::string& identity) override;
  [[nodiscard]] Status transact(const std::function<Status()>& work) override;
  [[nodiscard]] Result<std::vector<StoredStudy>> studies() const override;
  [[nodiscard]] Result<std::vector<TrialSummary>> trials(
      const std::optional<StudyId>& study) const override;
  [[nodiscard]] Result<Outcomes> outcomes() const override;
  [[nodiscard]] Result<std::optional<TrialRecord>> find_trial(
      const std::string& identity) const override;
  [[nodiscard]] Status for_each_trial(const std::optional<StudyId>& study,
                                      const Visitor& visit) const override;
  [[nodiscard]] Result<std::vector<std::string>> check() const override;

 private:
  SqliteStore(std::filesystem::path path, std::unique_ptr<SQLite::Database> database);

  std::filesystem::path path_;
  std::unique_ptr<SQLite::Database> database_;
  int depth_ = 0;  // of transactions in one another
};

}  // namespace crossbind::store
