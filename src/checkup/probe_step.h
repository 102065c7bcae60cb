// One probed step: what is asked for at a probe level, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "checkup/examination.h"
#include "judge/step_judge.h"

namespace crossbind::checkup {

// Starts from other parameters than those that were prepared, so that only a worker that takes the
// state it is given can be right.
struct ProbedStep {
  judge::RecordedStep step;
  protocol::Done done;
};

// Everything that the worker's level has, and `more`. Skips when it probes nothing. Checks names,
// shapes and finiteness.
[[nodiscard]] Result<ProbedStep> probe(Examination& examination,
                                       const std::vector<std::string>& more = {});

// An error with the numbers where the deviation is more than rounding.
[[nodiscard]] Status expect_rounding(const judge::Deviation& deviation);

}  // namespace crossbind::checkup
