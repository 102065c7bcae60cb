// One step of the referee, taken apart: the answer to 'probe'.
#pragma once

#include "base/error.h"
#include "crossbind_worker/serve.h"
#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::worker {

// From the prepared parameters where the request names no state.
[[nodiscard]] Result<Reply> probe_step(const model::Model& model,
                                       const tensor::TensorMap& prepared,
                                       const protocol::Probe& request);

}  // namespace crossbind::worker
