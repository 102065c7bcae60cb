// Smaller versions of a case: fewer layers, fewer samples, smaller sizes. Each is a whole case
// again, checked like a model file, its tensors cut from those of the larger one. Which of them
// still diverges is not known here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/case.h"

namespace crossbind::conform {

struct Reduction {
  std::string words;                   // "half the batch"
  std::function<Result<Case>()> make;  // fails where shapes would not fit
};
using Reductions = std::vector<Reduction>;

// All borrow the case. Large steps first.
// The layer alone, or only what is before or after it left out. Nothing when there is no such
// layer.
[[nodiscard]] Reductions isolations(const Case& subject, const std::string& layer);
[[nodiscard]] Reductions without_layers(const Case& subject);
[[nodiscard]] Reductions smaller_batches(const Case& subject);
[[nodiscard]] Reductions smaller_sizes(const Case& subject);

}  // namespace crossbind::conform
