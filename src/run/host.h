// The machine that trials run on, as names and values: what a reader of results needs to know of
// it.
#pragma once

#include <string>

#include "store/record.h"

namespace crossbind::run {

// Processor, number of processors, memory, kernel, system, C library, GPUs where there are any, and
// of crossbind the version and the revision it was built from. What cannot be found out is
// "unknown".
[[nodiscard]] store::Environment describe_host(const std::string& version);

}  // namespace crossbind::run
