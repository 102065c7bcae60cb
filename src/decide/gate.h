// Whether a candidate may replace a baseline: two stores of the same trials, run with two builds.
// docs/gate.md says how it is decided. Decides; renders nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decide/changes.h"
#include "decide/false_alarms.h"
#include "decide/slowdown.h"
#include "stats/interval.h"
#include "store/result_store.h"

namespace crossbind::decide {

struct GateOptions {
  std::optional<double> max_slowdown = 0.05;  // none: times are not judged
  double alpha = 0.05;
  bool allow_missing = false;
  bool allow_unchanged = false;  // a candidate that is the baseline, trial by trial
};

enum class GateVerdict {
  kPassed,
  kFailed,     // something became wrong, or slower
  kUndecided,  // nothing of either, but what was to be judged was not
};

[[nodiscard]] std::string_view to_string(GateVerdict verdict);

struct SubjectChange {
  std::string subject;  // "pytorch/rust lenet5 on mnist: train (cpu, resident, step, total)"
  std::string trial;    // "seed 1, repeat 0"; empty: of all its trials together
  Change change;
};

struct SubjectTime {
  std::string subject;
  size_t n_baseline = 0;
  size_t n_candidate = 0;
  TimeFinding finding;
  std::optional<stats::Interval> ratio_interval;  // 95 %, bootstrap
};

struct MissingSubject {
  std::string subject;
  size_t trials = 0;  // of the baseline that the candidate has not
};

struct Gate {
  GateVerdict verdict = GateVerdict::kUndecided;
  std::vector<std::string> undecided;  // why, a sentence each
  size_t compared = 0;                 // trials that both stores have
  size_t same = 0;                     // those of them that are one measurement in both
  size_t repaired = 0;                 // not done in the baseline, done in the candidate
  size_t other_bits = 0;               // trainings that came to other parameters
  size_t unjudged_accuracies = 0;      // trials of which too little is known to say
  std::vector<SubjectChange> changes;
  std::vector<SubjectTime> times;
  std::vector<MissingSubject> missing;  // not in the candidate at all
  std::vector<MissingSubject> fewer;    // in it with fewer trials
  size_t added = 0;                     // subjects that only the candidate has
  std::vector<std::string> machines_baseline;
  std::vector<std::string> machines_candidate;
  GateOptions options;
};

// The order in which trials were added to the stores does not matter.
[[nodiscard]] Result<Gate> compare_stores(const store::ResultStore& baseline,
                                          const store::ResultStore& candidate,
                                          const GateOptions& options = {});

// The times of one store against themselves.
[[nodiscard]] Result<SelfTest> self_test(const store::ResultStore& store,
                                         const TimeLimits& limits,
                                         const SelfTestOptions& options = {});

}  // namespace crossbind::decide
