// One step of the referee, taken apart: the answer to 'probe'.
#pragma once

#include "base/error.h"
#include "crossbind_worker/serve.h"
#include "model/model.h"

namespace crossbind::worker {

[[nodiscard]] Result<Reply> probe_step(const model::Model& model, const protocol::Probe& request);

}  // namespace crossbind::worker
