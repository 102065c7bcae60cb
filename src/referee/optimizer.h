// One update of one parameter, with every convention, and the error a correct float32
// implementation may make in it. Element by element: updates need no sums.
#pragma once

#include <cstdint>

#include "model/model.h"
#include "model/training.h"
#include "referee/array.h"

namespace crossbind::referee {

// m: momentum or first moment; v: second moment. Empty where the optimizer has none.
template <typename T>
struct OptimizerState {
  Array<T> m;
  Array<T> v;
};

[[nodiscard]] bool has_first_moment(const model::Optimizer& optimizer);
[[nodiscard]] bool has_second_moment(const model::Optimizer& optimizer);

// The state before the first step: zeros where the optimizer has a moment.
template <typename T>
[[nodiscard]] OptimizerState<T> initial_state(const model::Optimizer& optimizer,
                                              const Shape& shape);

// Updates parameter and state in place. step counts from 1.
template <typename T>
void update(const model::Optimizer& optimizer,
            model::Role role,
            int64_t step,
            const Array<T>& gradient,
            OptimizerState<T>& state,
            Array<T>& parameter);

// The variances (units of u^2) of the new parameter, m and v, from the values before the update.
struct UpdateVariance {
  Array<double> parameter;
  Array<double> m;
  Array<double> v;
};
[[nodiscard]] UpdateVariance update_error(const model::Optimizer& optimizer,
                                          model::Role role,
                                          int64_t step,
                                          const Array<double>& gradient,
                                          const OptimizerState<double>& state,
                                          const Array<double>& parameter);

}  // namespace crossbind::referee
