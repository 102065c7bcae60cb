// The matrix of a study once the bindings are known: every condition with the bindings that take
// part, and which conditions' trainings feed inference. No trials yet, and no decisions.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
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
  std::vector<uint16_t> weights;  // the bindings whose trainings feed inference; none: initial
  // The row of such a training, by place_of(); kNoRow where 'except' leaves none.
  std::vector<uint32_t> source_rows;
};

// number: of a binding in Matrix::weights.
[[nodiscard]] inline size_t place_of(const spec::Study& study,
                                     const Condition& condition,
                                     size_t number) {
  return (number * study.models.size() + condition.model) * study.devices.size() + condition.device;
}

// How often each trial of a model's runs: its seeds times its repeats.
[[nodiscard]] size_t times_of(const spec::Study& study, const spec::ModelEntry& entry);
[[nodiscard]] int64_t most_repeats(const spec::Study& study);

[[nodiscard]] Result<Matrix> make_matrix(const spec::Study& study,
                                         const Facts& facts,
                                         IdentityMaker& identities);

inline constexpr std::string_view kInitialName = "initial";
inline constexpr std::string_view kSuppliedName = "supplied";

// The names of a condition's values; that of the binding is empty, and so are the weights where
// the task takes none.
[[nodiscard]] spec::PerAxis<std::string_view> names_of(
    const spec::Study& study,
    const std::vector<const BindingFacts*>& bindings,
    const Condition& condition);

}  // namespace crossbind::plan
