// One step of a module, taken apart.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "crossbind_worker/session.h"
#include "graph_module.h"
#include "loaders.h"

namespace crossbind::worker {

using Shelf = std::map<std::string, torch::Tensor>;

// Those of the wanted ones that there are.
[[nodiscard]] tensor::TensorMap wanted_of(const Shelf& shelf,
                                          const std::vector<std::string>& wanted);

// The module has the parameters that the step starts from; it is in evaluation mode afterwards.
[[nodiscard]] Result<Probed> probe_step(const model::Model& model,
                                        GraphModule& module,
                                        const TorchBatch& batch,
                                        const ProbeStep& step);

}  // namespace crossbind::worker
