// What follows from a layer's inputs: the shape of its output, its input sizes, and the four
// numbers behind pads = "same".
#pragma once

#include <vector>

#include "base/error.h"
#include "model/layer.h"
#include "model/model.h"

namespace crossbind::model {

// One input of a layer, as the layer sees it.
struct LayerInput {
  Shape shape;                  // of one sample
  int64_t entries = 0;          // integers below this; 0 for floats
  bool is_model_input = false;  // not computed by another layer
};

// The output's shape. Fills in the sizes of `layer` that its inputs give; with `same_pads` its pads
// too. Errors have no place: the caller knows it.
[[nodiscard]] Result<Shape> infer_shape(Layer& layer,
                                        bool same_pads,
                                        const std::vector<LayerInput>& inputs);

}  // namespace crossbind::model
