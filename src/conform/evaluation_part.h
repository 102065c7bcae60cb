// The second part: the model as it is used, in evaluation mode, with its real dropout rates and
// running statistics that are not the first ones. Everything twice, which must be equal bit for
// bit: whatever is still drawn shows. Every layer is judged by the referee where the worker shows
// it, so that a dropout deep in a block is named; the outputs of `infer`, the path that users take,
// by the bound of a whole network (judge/free_step.h).
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "conform/bench.h"
#include "conform/case.h"
#include "referee/bound.h"

namespace crossbind::conform {

struct Evaluated {
  PartFinding finding;
  trial::ProbeLevel level = trial::ProbeLevel::kNone;  // how deep it was looked into
  std::vector<std::string> conventions;
  std::optional<Case> diverging;  // the step that does
};

// What the outputs of a whole model may be, found once for all bindings that build the same. Safe
// to use from several threads.
class FreeOutputs {
 public:
  // The outputs from `start` on a course with this seed.
  [[nodiscard]] Result<referee::Bounded> get(const model::Model& built,
                                             const judge::RecordedStep& start,
                                             uint32_t seed);

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<referee::Bounded> output;
  };

  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by graph and seed
};

// A worker that takes serialized models only is given one by its framework's serializer.
[[nodiscard]] converse::Attempt<Evaluated> evaluation_part(const Bench& bench,
                                                           FreeOutputs& outputs);

}  // namespace crossbind::conform
