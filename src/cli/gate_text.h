// What the gate found, for a terminal.
#pragma once

#include <string>

#include "decide/gate.h"

namespace crossbind::cli {

[[nodiscard]] std::string gate_text(const decide::Gate& gate);

}  // namespace crossbind::cli
