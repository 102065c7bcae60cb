// The first part: teacher-forced steps with dropout off, each judged by the referee on its own. A
// worker that trains, but shows no gradients, or does not train the model, is judged by its layers
// in evaluation mode.
#pragma once

#include <string>
#include <vector>

#include "conform/bench.h"
#include "conform/case.h"

namespace crossbind::conform {

struct Probed {
  PartFinding finding;
  trial::ProbeLevel level = trial::ProbeLevel::kNone;  // how deep the steps were judged
  std::vector<std::string> conventions;                // "adam.epsilon_form = hat"
  std::string digest;  // of every bit that was shown; empty where not all steps were taken
  std::optional<Case> diverging;  // the step that does
};

[[nodiscard]] converse::Attempt<Probed> probe_part(const Bench& bench);

}  // namespace crossbind::conform
