// The third part: the path that users train by. Over three whole batches and a partial one, with
// every loader and variant of the binding, by the evidence of the protocol: which samples reached
// the model, in which order, and what was in them. Then whether training does what the probed steps
// do (train_path.h).
#pragma once

#include "conform/bench.h"

namespace crossbind::conform {

[[nodiscard]] converse::Attempt<PartFinding> loader_part(const Bench& bench);

}  // namespace crossbind::conform
