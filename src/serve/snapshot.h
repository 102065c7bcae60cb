// What a store has, without what was measured: what lists, counts and filters are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "store/store_reader.h"

namespace crossbind::serve {

struct StudyView {
  store::StoredStudy study;
  std::vector<uint32_t> trials;   // their places in the snapshot, in the order they were added
  std::optional<size_t> planned;  // how many it will have; none where that cannot be told
};

struct Snapshot {
  uint64_t version = 0;
  std::vector<store::TrialSummary> trials;  // in the order they were added
  std::vector<StudyView> studies;

  // Null where there is no such study.
  [[nodiscard]] const StudyView* find_study(const std::string& id) const;
};

// How many trials a study will have where this machine runs it.
using CountPlanned = std::function<std::optional<size_t>(const store::StudyRecord&)>;

[[nodiscard]] Result<Snapshot> take_snapshot(const store::StoreReader& store, uint64_t version);

struct OutcomeCounts {
  size_t done = 0;
  size_t failed = 0;
  size_t unsupported = 0;

  void add(store::Outcome outcome);
  [[nodiscard]] size_t all() const { return done + failed + unsupported; }
};

}  // namespace crossbind::serve
