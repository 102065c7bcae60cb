#include "tasks/train/result.h"

namespace crossbind::tasks {

std::optional<double> seconds_of(const Trained& trained) {
  std::optional<double> sum;
  for (const auto& epoch : trained.epochs) {
    if (epoch.seconds) {
      sum = sum.value_or(0) + *epoch.seconds;
    }
  }
  if (trained.in_total) {
    sum = sum.value_or(0) + *trained.in_total;
  }
  return sum;
}

}  // namespace crossbind::tasks
