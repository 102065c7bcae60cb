// The parts of the steps of a training or an inference, by inner timers.
#pragma once

#include <vector>

namespace crossbind::tasks {

// The parts of steps in seconds, one entry a step. An inference has no backward.
struct PartTimes {
  std::vector<double> load;
  std::vector<double> forward;
  std::vector<double> backward;

  [[nodiscard]] bool empty() const { return load.empty() && forward.empty() && backward.empty(); }

  bool operator==(const PartTimes&) const = default;
};

}  // namespace crossbind::tasks
