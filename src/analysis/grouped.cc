#include "analysis/grouped.h"

namespace crossbind::analysis {

Trainings trainings_in(const Observations& observations) {
  Trainings trainings;
  for (const auto& seen : observations) {
    if (!seen.is_training() || !seen.is_done()) {
      continue;
    }
    auto& place = trainings[*seen.scope][BindingKey(seen.binding)]
                           [SeedAndRepeat(seen.axes.seed, seen.axes.repeat)];
    if (place == nullptr || place->has_inner_timers()) {
      place = &seen;
    }
  }
  return trainings;
}

}  // namespace crossbind::analysis
