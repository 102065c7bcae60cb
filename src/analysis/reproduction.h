// Whether models keep their accuracy in other bindings, and what is claimed against the numbers.
#pragma once

#include "analysis/analysis.h"
#include "analysis/observation.h"

namespace crossbind::analysis {

void judge_reproduction(const Observations& observations, Analysis& into);

}  // namespace crossbind::analysis
