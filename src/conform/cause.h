// Why a binding is off: alternatives that the referee tries, and keeps only when they explain the
// numbers. Judges nothing anew.
#pragma once

#include <optional>
#include <string>

#include "conform/finding.h"
#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::conform {

// The step in which it was found. Borrows.
struct Scene {
  const model::Model& model;
  const judge::RecordedStep& step;
  const judge::RecordedStep* before = nullptr;  // for what is stale; not with the first step
};

// What the worker seems to have done instead ("LSTM gates in the order i, f, o, g"): done by the
// referee too, the tensor that is off comes under its bound. Nothing: the cause is unknown.
[[nodiscard]] std::optional<std::string> find_cause(const Scene& scene,
                                                    const Divergence& divergence);

}  // namespace crossbind::conform
