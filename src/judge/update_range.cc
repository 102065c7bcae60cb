#include "judge/update_range.h"

#include <algorithm>

#include "referee/optimizer.h"
#include "referee/referee.h"

namespace crossbind::judge {
namespace {

using referee::Array;

Range exact(const Array<double>& value) {
  return {value, value};
}

void widen(Range& range, const Array<double>& values) {
  for (size_t i = 0; i < values.values.size(); ++i) {
    range.low.values[i] = std::min(range.low.values[i], values.values[i]);
    range.high.values[i] = std::max(range.high.values[i], values.values[i]);
  }
}

// Widens a range by a bound to both sides. Moments that the optimizer does not have are empty.
void add_rounding(Range& range, const Array<double>& units) {
  for (size_t i = 0; i < range.low.values.size(); ++i) {
    range.low.values[i] -= referee::bound_of(units.values[i]);
    range.high.values[i] += referee::bound_of(units.values[i]);
  }
}

// A second moment is least where the gradient is nearest to 0.
Array<double> nearest_to_zero(const Range& range) {
  Array<double> nearest = range.low;
  for (size_t i = 0; i < nearest.values.size(); ++i) {
    nearest.values[i] = std::clamp(0.0, range.low.values[i], range.high.values[i]);
  }
  return nearest;
}

}  // namespace

UpdateRange exact_state(const model::Model& model, size_t parameter) {
  const auto state =
      referee::initial_state<double>(model.optimizer, model.parameters[parameter].shape);
  return {{}, exact(state.m), exact(state.v)};
}

UpdateRange update_range(const model::Model& model,
                         size_t parameter,
                         int64_t step,
                         const Array<double>& value,
                         const Range& gradient,
                         const UpdateRange& before) {
  const auto role = model.parameters[parameter].role;
  UpdateRange range;
  bool is_first = true;
  for (const auto& g : {gradient.low, nearest_to_zero(gradient), gradient.high}) {
    for (const auto* m : {&before.m.low, &before.m.high}) {
      for (const auto* v : {&before.v.low, &before.v.high}) {
        const auto corner = referee::update_from(model.optimizer, role, step, value, g, {*m, *v});
        if (is_first) {
          range = {exact(corner.parameter.value), exact(corner.m.value), exact(corner.v.value)};
          is_first = false;
        }
        for (const auto& [known, bounded] : {std::pair{&range.parameter, &corner.parameter},
                                             std::pair{&range.m, &corner.m},
                                             std::pair{&range.v, &corner.v}}) {
          Range around = exact(bounded->value);
          add_rounding(around, bounded->unit);
          widen(*known, around.low);
          widen(*known, around.high);
        }
      }
    }
  }
  return range;
}

}  // namespace crossbind::judge
