// What correct float32 implementations may come to in a step of which nothing is recorded: there is
// nothing to anchor the referee at, so that rounding runs on from layer to layer.
//
// How far is found by doing it. The referee takes the step in float64; then a few times more, each
// time adding to every layer's output, and to every gradient, a random error of the size of one
// unit (referee/bound.h), which is the model of the local bounds: independent errors. The root
// mean square of what comes of it is the unit of the results, and the same constant makes the bound
// of it. What the network does to an error, its ReLUs and pool winners that turn over included, is
// in it by itself.
#pragma once

#include <vector>

#include "base/error.h"
#include "judge/step_judge.h"
#include "model/model.h"
#include "referee/bound.h"
#include "referee/op.h"

namespace crossbind::judge {

struct FreeStep {
  referee::Bounded output;  // of the model
  // By parameter, with empty arrays where there is nothing; a step that does not train has neither.
  std::vector<referee::Bounded> gradients;
  std::vector<referee::Bounded> statistics;  // after the step
  // By the model's input, for a query alone: the gradient of the loss, summed over the samples.
  std::vector<referee::Bounded> inputs;
};

// `start` has mode, state and batch; what else it has is not looked at.
[[nodiscard]] Result<FreeStep> free_step(const model::Model& model, const RecordedStep& start);

// What a query may come to: the outputs at the state and batch of `start`, and the gradients of the
// inputs that are not integers. In another mode than evaluation it is what a wrong worker does.
[[nodiscard]] Result<FreeStep> free_query(const model::Model& model,
                                          const RecordedStep& start,
                                          referee::Mode mode = referee::Mode::kEvaluate);

}  // namespace crossbind::judge
