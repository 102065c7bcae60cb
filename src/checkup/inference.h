// One inference as the checks ask for it, and how near its outputs are to what is expected.
#pragma once

#include <vector>

#include "base/error.h"
#include "checkup/examination.h"

namespace crossbind::checkup {

struct Inference {
  Answer answer;
  protocol::Done done;
  std::vector<float> outputs;
};

// Asks a worker that has the exercise prepared. Checks that the outputs are there, of the right
// shape and finite.
[[nodiscard]] Result<Inference> infer(Conversation& worker, const Exercise& exercise);

[[nodiscard]] Status near(const std::vector<float>& came, const std::vector<double>& expected);

}  // namespace crossbind::checkup
