// Where studies and their trials are kept, whatever keeps them: reading, and writing.
#pragma once

#include <functional>
#include <string>

#include "store/store_reader.h"

namespace crossbind::store {

struct MergeCounts {
  size_t studies = 0;        // that were not there
  size_t added = 0;          // trials that were not there
  size_t already_there = 0;  // trials
  size_t replaced = 0;       // trials that had failed here and have not failed there
  size_t contradicting = 0;  // done in one and unsupported in the other: what was here is kept

  bool operator==(const MergeCounts&) const = default;
};

class ResultStore : public StoreReader {
 public:
  // A study that is added twice is one study.
  [[nodiscard]] virtual Result<StudyId> add_study(const StudyRecord& study) = 0;

  // All of the trial or nothing. A failed trial of that identity is replaced, in its place and in
  // every study it belongs to; any other one stays and this is an error (kInvalid).
  [[nodiscard]] virtual Status add_trial(const StudyId& study, const TrialRecord& trial) = 0;

  // Makes a trial that is there part of a further study; a second time it does nothing.
  [[nodiscard]] virtual Status link_trial(const StudyId& study, const std::string& identity) = 0;

  // What the work writes is there as a whole when it succeeds, and not at all when it fails.
  [[nodiscard]] virtual Status transact(const std::function<Status()>& work) = 0;

  // Adds what the other store has and this one has not, all of it or nothing.
  [[nodiscard]] Result<MergeCounts> merge(const StoreReader& from);
};

}  // namespace crossbind::store
