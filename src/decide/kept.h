// What the gate takes from the trials of a store, by what they measure: two stores are compared
// where they measured the same thing. Reads only; judges nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "store/result_store.h"

namespace crossbind::decide {

// What trials share that differ in seed, repeat and the worker's build alone.
struct Subject {
  std::vector<std::string> axes;  // as in store::kTextAxes
  store::NamedTexts settings;     // as requested

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Subject&) const = default;  // NOLINT(modernize-use-nullptr)

  [[nodiscard]] const std::string& axis(std::string_view name) const;
};

struct Kept {
  std::string identity;
  store::Time started;
  store::Outcome outcome = store::Outcome::kDone;
  std::string reason;
  std::vector<double> seconds;     // one of a training, one a model of an inference; may be none
  std::vector<double> accuracies;  // on the test set: likewise
  std::string parameters;          // the hash of what a training came to; may be empty
  std::string verdict;             // the referee's; empty unless it judged
  std::string where;               // it diverges
};

using SeedAndRepeat = std::pair<uint32_t, int>;
using Trials = std::map<SeedAndRepeat, Kept>;

struct KeptStore {
  std::map<Subject, Trials> subjects;
  std::set<std::string> machines;  // processors that the trials ran on, where that is known
};

// Of trials that differ in the build of a worker alone, the latest.
[[nodiscard]] Result<KeptStore> keep(const store::ResultStore& store);

// The seconds of those trials that were done and whose seed is among the other's too: repeats of a
// seed are alike, seeds need not be.
[[nodiscard]] std::vector<double> seconds_of(const Trials& trials, const Trials& other);

}  // namespace crossbind::decide
