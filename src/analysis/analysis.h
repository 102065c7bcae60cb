// All that a store says: the findings of every comparison in it, imported or measured here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/findings.h"
#include "base/error.h"
#include "store/store_reader.h"

namespace crossbind::analysis {

// What a worker said it is made of.
struct Component {
  std::string framework;
  std::string binding;
  std::string name;
  std::string version;

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Component&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Analysis {
  std::vector<CurveDistance> dtw;
  std::vector<BindingScore> scores;
  std::vector<ScoreTest> score_tests;
  std::vector<Times> training_times;
  std::vector<Times> inference_times;
  std::vector<TimeTest> training_time_tests;
  std::vector<TimeTest> inference_time_tests;
  std::vector<CrossBinding> cross_binding;
  std::vector<FoundContradiction> contradictions;
  std::vector<Parts> training_parts;
  std::vector<Parts> inference_parts;
  std::vector<MeanCurve> mean_curves;
  std::vector<Support> support;
  std::vector<Component> components;
  std::vector<std::string> varied;  // the conditions of which the store has more than one value
};

// All of a store, or one study of it. The same trials give the same analysis, in whatever order
// they were added.
[[nodiscard]] Result<Analysis> analyze(const store::StoreReader& store,
                                       const std::optional<store::StudyId>& study = std::nullopt);

}  // namespace crossbind::analysis
