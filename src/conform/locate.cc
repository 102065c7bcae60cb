#include "conform/locate.h"

#include <cmath>

#include "judge/step_tensors.h"

namespace crossbind::conform {

Divergence divergence_of(const model::Model& model, Kind kind, const judge::Deviation& deviation) {
  Divergence divergence;
  divergence.kind = kind;
  divergence.layer = judge::layer_of(model, deviation.tensor);
  divergence.tensor = deviation.tensor;
  divergence.error = std::abs(deviation.came - deviation.expected);
  divergence.bound = deviation.bound;
  return divergence;
}

Result<StepFinding> locate(const model::Model& model, const judge::RecordedStep& step) {
  CB_ASSIGN(const auto judged, judge::judge_step(model, step));
  if (const auto* judgement = judge::first_off(judged)) {
    return StepFinding{judgement->off->ratio,
                       divergence_of(model, judgement->kind, *judgement->off)};
  }
  return StepFinding{judge::worst_of(judged).ratio, std::nullopt};
}

}  // namespace crossbind::conform
