// What the gate takes from the trials of a store, by what they measure: two stores are compared
// where they measured the same thing. Reads only; judges nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/grouped.h"
#include "base/error.h"
#include "store/store_reader.h"
#include "tasks/ruling.h"

namespace crossbind::decide {

// What trials share that differ in seed, repeat and the worker's build alone.
struct Treatment {
  store::Axes axes;            // seed and repeat are 0
  store::NamedTexts settings;  // as requested

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Treatment&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Kept {
  std::string identity;
  store::Time started;
  store::Outcome outcome = store::Outcome::kDone;
  std::string reason;
  std::vector<double> seconds;     // one of a training, one a model of an inference; may be none
  std::vector<double> accuracies;  // on the test set: likewise
  std::string parameters;          // the hash of what a training came to; may be empty
  tasks::Ruling ruling = tasks::Ruling::kNone;  // the referee's
  std::string where;                            // it diverges
};

using Trials = std::map<analysis::SeedAndRepeat, Kept>;

struct KeptStore {
  std::map<Treatment, Trials> treatments;
  std::set<std::string> machines;  // processors that the trials ran on, where that is known
};

// What a store has; of trials that differ in the build of a worker alone, the latest.
[[nodiscard]] Result<KeptStore> keep(const store::StoreReader& store);

// The seconds of those trials that were done and whose seed is among the other's too: repeats of a
// seed are alike, seeds need not be.
[[nodiscard]] std::vector<double> seconds_of(const Trials& trials, const Trials& other);

}  // namespace crossbind::decide
