// Where studies and their trials are kept, whatever keeps them. Reading and writing only: no
// statistics, no planning.
//
// A store object is used by one thread at a time. Several objects, in several processes, may be
// open on the same file.
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

struct MergeCounts {
  size_t studies = 0;        // that were not there
  size_t added = 0;          // trials that were not there
  size_t already_there = 0;  // trials
  size_t replaced = 0;       // trials that had failed here and have not failed there
  size_t contradicting = 0;  // done in one and unsupported in the other: what was here is kept

  bool operator==(const MergeCounts&) const = default;
};

class ResultStore {
 public:
  using Visitor = std::function<Status(const TrialRecord&)>;

  virtual ~ResultStore() = default;

  // The same study twice is one study.
  [[nodiscard]] virtual Result<StudyId> add_study(const StudyRecord& study) = 0;

  // All of the trial or nothing. A failed trial of that identity is replaced, in its place and in
  // every study it belongs to; any other one stays and this is an error (kInvalid).
  [[nodiscard]] virtual Status add_trial(const StudyId& study, const TrialRecord& trial) = 0;

  // Makes a trial that is there part of a further study; a second time it does nothing.
  [[nodiscard]] virtual Status link_trial(const StudyId& study, const std::string& identity) = 0;

  // What the work writes is there as a whole when it succeeds, and not at all when it fails.
  [[nodiscard]] virtual Status transact(const std::function<Status()>& work) = 0;

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

  // Adds what the other store has and this one has not, all of it or nothing.
  [[nodiscard]] Result<MergeCounts> merge(const ResultStore& from);

 protected:
  ResultStore() = default;
  ResultStore(const ResultStore&) = default;
  ResultStore(ResultStore&&) = default;
  ResultStore& operator=(const ResultStore&) = default;
  ResultStore& operator=(ResultStore&&) = default;
};

}  // namespace crossbind::store
