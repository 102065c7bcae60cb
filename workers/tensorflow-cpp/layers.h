// The layers of a model as operations of TensorFlow. Includes TensorFlow's headers: only for the
// few files that build graphs.
#pragma once

#include <tensorflow/cc/framework/ops.h>
#include <tensorflow/cc/framework/scope.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/model.h"

namespace crossbind::worker {

using Outputs = std::vector<tensorflow::Output>;

// What layers need in training mode only, and what they leave there.
struct TrainingMode {
  tensorflow::Output draw;     // int64, another one for other masks of dropout
  tensorflow::Output dropout;  // float: 1, or 0 to switch it off
  int64_t seed = 0;
  // The values of running statistics after the step, with the numbers of their parameters.
  std::vector<std::pair<size_t, tensorflow::Output>> statistics;
};

// What each layer gives. Inputs and parameters stand in the order of the model, in TensorFlow's
// layout; without a training mode the layers evaluate.
[[nodiscard]] Outputs add_layers(const tensorflow::Scope& scope,
                                 const model::Model& model,
                                 const Outputs& inputs,
                                 const Outputs& parameters,
                                 TrainingMode* training);

}  // namespace crossbind::worker
