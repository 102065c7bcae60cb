// What an update may come to when gradient and moments are known as ranges only: interval
// arithmetic, element by element. For steps of which only the result is seen.
#pragma once

#include "judge/step_judge.h"
#include "model/model.h"
#include "referee/array.h"

namespace crossbind::judge {

struct Range {
  referee::Array<double> low;
  referee::Array<double> high;
};

struct UpdateRange {
  Range parameter;
  Range m;  // empty where the optimizer has none
  Range v;
};

// The moments before the first step.
[[nodiscard]] UpdateRange exact_state(const model::Model& model, size_t parameter);

// Update number `step` (from 1) of one parameter, from its exact value; the moments are those of
// `before`. The update's own rounding is in the result.
[[nodiscard]] UpdateRange update_range(const model::Model& model,
                                       size_t parameter,
                                       int64_t step,
                                       const referee::Array<double>& value,
                                       const Range& gradient,
                                       const UpdateRange& before);

}  // namespace crossbind::judge
