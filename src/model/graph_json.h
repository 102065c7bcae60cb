// The canonical graph: a model as JSON with every field resolved and explicit, for programs that
// build it with layers of their own. Keys and nodes keep their order, so equal models give equal
// bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/model.h"

namespace crossbind::model {

inline constexpr int kGraphVersion = 1;

[[nodiscard]] nlohmann::ordered_json canonical_graph(const Model& model);

}  // namespace crossbind::model
