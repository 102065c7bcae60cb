// The part with dropout on: training steps of the model with its real rates, each judged by the
// referee at the mask that the binding drew, which is read from what it shows; and the masks
// themselves, by exact tests (judge/masks.h). Bindings draw from generators of their own, so that
// no two masks are compared with each other, and none with the referee's.
#pragma once

#include "conform/bench.h"

namespace crossbind::conform {

// How probable it is that a run of conform accuses any right binding of wrong masks.
inline constexpr double kMaskLevel = 1e-9;

// Whether the model has anything that draws.
[[nodiscard]] bool has_dropout(const Bench& bench);

[[nodiscard]] converse::Attempt<PartFinding> dropout_part(const Bench& bench);

}  // namespace crossbind::conform
