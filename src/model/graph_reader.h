// The canonical graph back into a model: for programs that are handed one (workers). The inverse of
// graph_json.h, but for initial values, which the graph does not have.
#pragma once

#include <string_view>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::model {

// Fails with kUnsupported on a layer, loss or optimizer type that is not known ("layer gru2"), with
// kInvalid on whatever else is wrong. Shapes are taken as they are written.
[[nodiscard]] Result<Model> read_graph(std::string_view json);

}  // namespace crossbind::model
