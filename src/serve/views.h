// What the server knows as JSON, a function a kind of answer. Text comes out as text whatever bytes
// it has; what is long is cut and says so.
#pragma once

#include <string>
#include <vector>

#include "serve/comparison.h"
#include "serve/reports.h"
#include "serve/snapshot.h"
#include "store/store_reader.h"

namespace crossbind::serve {

inline constexpr size_t kMostLogShown = size_t{256} << 10;  // bytes; a trial's log is whole at /log
inline constexpr size_t kMostValues = 1000;                 // of a series

[[nodiscard]] std::string studies_json(const Snapshot& snapshot);
[[nodiscard]] std::string study_json(const Snapshot& snapshot, const StudyView& study);

// How far everything, or one study, is; by binding and model, too.
[[nodiscard]] std::string progress_json(const Snapshot& snapshot, const StudyView* study);

// The beginning of it, which events carry.
[[nodiscard]] std::string change_json(const Snapshot& snapshot);

struct TrialPage {
  std::vector<uint32_t> places;  // in the snapshot
  size_t total = 0;              // that the filter leaves
  size_t offset = 0;
  size_t limit = 0;
};
[[nodiscard]] std::string trials_json(const Snapshot& snapshot, const TrialPage& page);
// Its series and facts by their names in the store, on purpose, as trial_figures.h says.
[[nodiscard]] std::string trial_json(const Snapshot& snapshot, const store::TrialRecord& trial);

struct ComparisonView {
  std::string a;
  std::string b;
  Compared compared;
  report::Document document;  // of the two
  std::vector<std::string> varied;
  uint64_t version = 0;
};
[[nodiscard]] std::string comparison_json(const ComparisonView& view);

}  // namespace crossbind::serve
