// A plan: every trial of a study in the order they run, each with what is to be done about it and
// why. Pure: made of a study and of facts; reads no file, starts no process, knows no clock. The
// same inputs give the same plan.
//
// A million trials are planned at once, so a trial is small: what it has in common with others is
// in tables.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/facts.h"
#include "plan/trial_id.h"
#include "spec/study.h"
#include "trial/settings.h"

namespace crossbind::plan {

inline constexpr size_t kMaximumTrials = 10'000'000;

enum class Decision : uint8_t {
  kRun,               // for the first time
  kRetry,             // failed before, and is wanted again
  kRunForParameters,  // would not run but for others, which need what it trains
  kDone,              // already; also when it is known to be unsupported
  kFailed,            // before, and is not wanted again
  kUnsupported,       // the binding lacks a feature
  kUnavailable,       // something is missing on this machine
  kExcluded,          // by --only
};

[[nodiscard]] constexpr bool is_run(Decision decision) {
  return decision <= Decision::kRunForParameters;
}

// "run", "done", "failed", "unsupported", "unavailable", "excluded".
[[nodiscard]] std::string_view word(Decision decision);

inline constexpr uint16_t kInitialWeights = std::numeric_limits<uint16_t>::max();
inline constexpr uint16_t kSuppliedWeights = kInitialWeights - 1;  // the user's

// Whether weights are those that a binding trained, by its number.
[[nodiscard]] constexpr bool are_trained(uint16_t weights) {
  return weights < kSuppliedWeights;
}

// What trials have in common that may differ in binding, seed and repeat alone. Indices are those
// of the study.
struct Condition {
  uint32_t model = 0;
  uint32_t device = 0;
  trial::Task task = trial::Task::kTrain;
  trial::Loader loader = trial::Loader::kResident;
  trial::Variant variant = trial::Variant::kStep;
  trial::Measure measure = trial::Measure::kTotal;
  // The binding (of the plan) whose trained parameters are used, where the task takes weights.
  uint16_t weights = kInitialWeights;
};

// One comparison: its trials differ in the binding alone and run next to each other, shuffled.
struct Block {
  uint32_t condition = 0;
  uint32_t seed = 0;
  uint32_t repeat = 0;  // from 1
};

inline constexpr uint32_t kNoSource = std::numeric_limits<uint32_t>::max();

struct Trial {
  TrialId id;
  uint32_t block = 0;
  uint32_t source = kNoSource;  // index of the training whose parameters it uses: an earlier trial
  uint32_t note = 0;            // what the reason adds to the decision
  uint16_t binding = 0;
  Decision decision = Decision::kRun;
  bool feeds_others = false;  // it is a source: its parameters are to be kept
};

struct Plan {
  std::vector<std::string> bindings;     // of the study, globs resolved
  std::vector<std::string> serializers;  // who serializes models for each; may be ""
  std::vector<Condition> conditions;
  std::vector<Block> blocks;
  std::vector<Trial> trials;       // in the order they run
  std::vector<std::string> notes;  // the first is empty

  [[nodiscard]] const Block& block_of(const Trial& trial) const { return blocks[trial.block]; }
  [[nodiscard]] const Condition& condition_of(const Trial& trial) const {
    return conditions[block_of(trial).condition];
  }
  // Where the weights come from: a binding, "initial" or "supplied"; "" where the task takes none.
  [[nodiscard]] std::string_view weights_of(const Trial& trial) const;
  // "first time", "unsupported: layer gru", ...
  [[nodiscard]] std::string reason_of(const Trial& trial) const;
};

[[nodiscard]] Result<Plan> make_plan(const spec::Study& study, const Facts& facts);

// What the worker is told.
[[nodiscard]] trial::Settings settings_of(const spec::Study& study,
                                          const Condition& condition,
                                          uint32_t seed);

}  // namespace crossbind::plan
