// The sizes of a layer that its author chose: what a smaller model has less of.
#pragma once

#include <cstdint>
#include <vector>

#include "model/layer.h"

namespace crossbind::model {

// The sizes that a model chooses for a layer: pointers into it, in the order of its description.
[[nodiscard]] std::vector<int64_t*> chosen_sizes(Layer& layer);

}  // namespace crossbind::model
