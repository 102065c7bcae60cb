// Where a judged step is off first: of all that differ, the one that the others follow from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/finding.h"
#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::conform {

// The layer that a tensor of the protocol belongs to; empty for the loss.
[[nodiscard]] std::string layer_of(const model::Model& model, const std::string& tensor);

// 1 is the bound.
[[nodiscard]] double ratio_of(const judge::Deviation& deviation);

// As a divergence of this kind and the deviation's layer; part, seed and step are the caller's.
[[nodiscard]] Divergence divergence_of(const model::Model& model,
                                       Kind kind,
                                       const judge::Deviation& deviation);

// Of deviations in the order of the graph. A layer is judged from its recorded input and an update
// from its recorded gradient, so that the first one that is off is the wrong one. Gradients come
// from one backward pass at the recorded outputs: what goes wrong in a layer is passed on to all
// before it, so that the last layer in the graph that is off is the wrong one, or one after it that
// has no parameters; of its gradients, the one that is most off.
[[nodiscard]] const judge::Deviation* first_off(const std::vector<judge::Deviation>& deviations);
[[nodiscard]] const judge::Deviation* gradient_off(const model::Model& model,
                                                   const std::vector<judge::Deviation>& gradients);

struct StepFinding {
  double ratio = 0;                      // of all that was looked at
  std::optional<Divergence> divergence;  // without part, seed and cause
};

// Forward before loss before gradient before update before state: nothing that follows from a wrong
// quantity is looked at. kUnsupported when a layer's output is not shown.
[[nodiscard]] Result<StepFinding> judge_step(const model::Model& model,
                                             const judge::RecordedStep& step);

}  // namespace crossbind::conform
