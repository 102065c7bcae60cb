// A batch of the protocol as the referee takes it.
#pragma once

#include <vector>

#include "base/error.h"
#include "crossbind_worker/job.h"
#include "referee/array.h"
#include "referee/loss.h"

namespace crossbind::worker {

// Float32 or int64.
[[nodiscard]] Result<referee::Array<double>> as_array(const tensor::TensorView& view);

// In the order of the model.
[[nodiscard]] Result<std::vector<referee::Array<double>>> inputs_of(const Samples& batch);
[[nodiscard]] Result<referee::Targets> targets_of(const Samples& batch);

}  // namespace crossbind::worker
