// How much slower something may be, as commands take it.
#pragma once

#include <string>

#include "base/error.h"

namespace crossbind::cli {

// "5%" and "1.05x" are both 0.05: a share on top of 1. A number alone could mean either and is an
// error.
[[nodiscard]] Result<double> slowdown_from(const std::string& text);

}  // namespace crossbind::cli
