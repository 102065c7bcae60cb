// docs/layers.md, for people who write workers: every field and the exact meaning of every layer,
// loss and optimizer, made from their descriptions.
#pragma once

#include <string>

namespace crossbind::model {

[[nodiscard]] std::string layers_page();

}  // namespace crossbind::model
