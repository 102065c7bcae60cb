// This machine as names and values: what a reader of results needs to know of it.
#pragma once

#include "base/texts.h"

namespace crossbind::place {

// Processor, number of processors, memory, kernel, system, C library, and GPUs where there are any.
// What cannot be found out is "unknown".
[[nodiscard]] Texts describe_this_machine();

}  // namespace crossbind::place
