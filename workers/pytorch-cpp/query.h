// A batch's outputs in evaluation mode, and the gradients of its loss by the inputs.
#pragma once

#include <torch/types.h>

#include <functional>

#include "crossbind_worker/session.h"
#include "loaders.h"
#include "model/model.h"

namespace crossbind::worker {

using Forward = std::function<torch::Tensor(const TorchBatch& batch)>;

// The batch's inputs are the caller's to give away. No gradient stays anywhere.
[[nodiscard]] Answer answer_with_gradients(const model::Model& model,
                                           TorchBatch& batch,
                                           const Forward& forward);

}  // namespace crossbind::worker
