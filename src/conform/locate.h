// What a judged step is in conform's words: how near the bounds it came, or where it diverges.
#pragma once

#include <optional>

#include "base/error.h"
#include "conform/finding.h"
#include "judge/judged_step.h"
#include "model/model.h"

namespace crossbind::conform {

// A deviation as a divergence of this kind, in its layer; part, seed and step are the caller's.
[[nodiscard]] Divergence divergence_of(const model::Model& model,
                                       Kind kind,
                                       const judge::Deviation& deviation);

struct StepFinding {
  double ratio = 0;                      // of what diverges; else the largest
  std::optional<Divergence> divergence;  // without part, seed and cause
};

// Where the step is off first. kUnsupported when a layer's output is not shown.
[[nodiscard]] Result<StepFinding> locate(const model::Model& model,
                                         const judge::RecordedStep& step);

}  // namespace crossbind::conform
