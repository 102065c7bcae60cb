// The matrix of a study once the bindings are known: every condition with the bindings that take
// part, and which condition's training feeds inference. No trials yet, and no decisions.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/error.h"
#include "plan/facts.h"
#include "plan/identity.h"
#include "plan/plan.h"
#include "spec/study.h"

namespace crossbind::plan {

inline constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

struct Row {
  Condition condition;
  Digest digest{};
  std::vector<uint16_t> bindings;  // those that no exception removes
};

// Points into the facts, which must outlive it.
struct Matrix {
  std::vector<const BindingFacts*> bindings;
  std::vector<const BindingFacts*> serializers;  // of each binding's framework; may be null
  std::vector<const DatasetFacts*> datasets;     // of each model
  std::vector<Row> rows;                         // in the order of their trials
  uint16_t weights_binding = 0;                  // whose training feeds inference
  // The row of that training, by model and device; kNoRow where inference takes initial weights.
  std::vector<uint32_t> source_rows;
};

[[nodiscard]] inline size_t place_of(const spec::Study& study, const Condition& condition) {
  return condition.model * study.devices.size() + condition.device;
}

[[nodiscard]] Result<Matrix> make_matrix(const spec::Study& study,
                                         const Facts& facts,
                                         IdentityMaker& identities);

// The names of a condition's values; that of the binding is empty.
[[nodiscard]] spec::PerAxis<std::string_view> names_of(const spec::Study& study,
                                                       const Condition& condition);

}  // namespace crossbind::plan
