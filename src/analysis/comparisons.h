// The findings that hold bindings against each other: curves, scores, times and their parts.
#pragma once

#include "analysis/analysis.h"
#include "analysis/observation.h"

namespace crossbind::analysis {

[[nodiscard]] Status compare_curves(const Observations& observations, Analysis& into);
[[nodiscard]] Status compare_scores(const Observations& observations, Analysis& into);
[[nodiscard]] Status compare_times(const Observations& observations, Analysis& into);
void add_up_parts(const Observations& observations, Analysis& into);

}  // namespace crossbind::analysis
