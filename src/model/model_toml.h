// A model as a model file (docs/model-files.md): reading the text again gives the same graph.
// Blocks and sizes are written out. How initial weights were drawn is not kept by a model, so that
// the text names a rule that need not be the model's: its weights have to go with it.
#pragma once

#include <string>

#include "model/model.h"

namespace crossbind::model {

[[nodiscard]] std::string model_toml(const Model& model);

}  // namespace crossbind::model
