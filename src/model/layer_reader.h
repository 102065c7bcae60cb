// Reads one layer's own keys from its table. Sizes that follow from the layer's input are left to
// shape inference.
#pragma once

#include <optional>

#include "config/table_reader.h"
#include "model/layer.h"
#include "model/names.h"

namespace crossbind::model {

struct LayerSpec {
  Layer layer;
  bool same_pads = false;  // pads = "same": to be resolved from the input's size
  std::optional<InitRule> init;
  std::optional<double> forget_bias;
};

// Errors are in the reader. `name` and `from` are the caller's.
[[nodiscard]] LayerSpec read_layer(config::TableReader& table);

}  // namespace crossbind::model
