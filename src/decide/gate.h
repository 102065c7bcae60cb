// Whether a candidate may replace a baseline: two stores of the same trials, run with two builds.
// docs/gate.md says how it is decided. Decides; renders nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "decide/changes.h"
#include "decide/false_alarms.h"
#include "decide/gate_decision.h"
#include "decide/slowdown.h"
#include "stats/interval.h"
#include "store/store_reader.h"

namespace crossbind::decide {

struct GateOptions {
  std::optional<double> max_slowdown = 0.05;  // none: times are not judged
  double alpha = 0.05;
  bool allow_missing = false;
  bool allow_unchanged = false;  // a candidate that is the baseline, trial by trial
};

struct TreatmentChange {
  std::string treatment;  // "pytorch/rust lenet5 on mnist: train (cpu, resident, step, total)"
  std::string trial;      // "seed 1, repeat 0"; empty: of all its trials together
  Change change;
};

struct TreatmentTime {
  std::string treatment;
  size_t n_baseline = 0;
  size_t n_candidate = 0;
  TimeFinding finding;
  std::optional<stats::Interval> ratio_interval;  // 95 %, bootstrap
};

struct MissingTreatment {
  std::string treatment;
  size_t trials = 0;  // of the baseline that the candidate has not
};

struct Gate {
  GateDecision decision = GateDecision::kUndecided;
  std::vector<std::string> undecided;  // why, a sentence each
  size_t compared = 0;                 // trials that both stores have
  size_t same = 0;                     // trials that are one measurement in both
  size_t repaired = 0;                 // not done in the baseline, done in the candidate
  size_t other_bits = 0;               // trainings that came to other parameters
  size_t unjudged_accuracies = 0;      // trials of which too little is known to say
  std::vector<TreatmentChange> changes;
  std::vector<TreatmentTime> times;
  std::vector<MissingTreatment> missing;  // not in the candidate at all
  std::vector<MissingTreatment> fewer;    // in it with fewer trials
  size_t added = 0;                       // treatments that only the candidate has
  std::vector<std::string> machines_baseline;
  std::vector<std::string> machines_candidate;
  GateOptions options;
};

// The order in which trials were added to the stores does not matter.
[[nodiscard]] Result<Gate> compare_stores(const store::StoreReader& baseline,
                                          const store::StoreReader& candidate,
                                          const GateOptions& options = {});

// The times of one store against themselves.
[[nodiscard]] Result<SelfTest> self_test(const store::StoreReader& store,
                                         const TimeLimits& limits,
                                         const SelfTestOptions& options = {});

}  // namespace crossbind::decide
