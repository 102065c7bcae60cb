// Which layers are recurrent: torch, cuDNN and TorchScript have ways of their own with them.
#pragma once

#include <variant>

#include "model/model.h"

namespace crossbind::worker {

[[nodiscard]] inline bool is_recurrent(const model::Node& node) {
  return std::holds_alternative<model::Lstm>(node.layer) ||
         std::holds_alternative<model::Gru>(node.layer);
}

}  // namespace crossbind::worker
