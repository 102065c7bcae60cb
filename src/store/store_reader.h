// What is kept of studies and their trials, for those who only read it, whatever keeps it. No
// statistics, no planning.
//
// A store object is used by one thread at a time. Several objects, in several processes, may be
// open on the same store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/record.h"

namespace crossbind::store {

struct StoredStudy {
  StudyId id;
  StudyRecord record;

  bool operator==(const StoredStudy&) const = default;
};

struct StoredOutcome {
  Outcome outcome = Outcome::kDone;
  std::string reason;

  bool operator==(const StoredOutcome&) const = default;
};
using Outcomes = std::unordered_map<std::string, StoredOutcome>;  // by identity

class StoreReader {
 public:
  using Visitor = std::function<Status(const TrialRecord&)>;

  virtual ~StoreReader() = default;

  // In the order they were added.
  [[nodiscard]] virtual Result<std::vector<StoredStudy>> studies() const = 0;
  [[nodiscard]] virtual Result<std::vector<TrialSummary>> trials(
      const std::optional<StudyId>& study = std::nullopt) const = 0;

  // How every trial ended: what planning asks, so cheap for a million trials.
  [[nodiscard]] virtual Result<Outcomes> outcomes() const = 0;

  [[nodiscard]] virtual Result<std::optional<TrialRecord>> find_trial(
      const std::string& identity) const = 0;

  // Every trial whole, one in memory at a time, all as of one moment, in the order they were added;
  // ends with the visitor's first error. The visitor does not write to this store.
  [[nodiscard]] virtual Status for_each_trial(const std::optional<StudyId>& study,
                                              const Visitor& visit) const = 0;

  // What is wrong with the store, a sentence each; nothing: it is sound.
  [[nodiscard]] virtual Result<std::vector<std::string>> check() const = 0;

 protected:
  StoreReader() = default;
  StoreReader(const StoreReader&) = default;
  StoreReader(StoreReader&&) = default;
  StoreReader& operator=(const StoreReader&) = default;
  StoreReader& operator=(StoreReader&&) = default;
};

}  // namespace crossbind::store
