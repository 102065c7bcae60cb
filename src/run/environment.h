// What trials of a run have in common: the place that they ran in, and the crossbind that ran them.
#pragma once

#include <string>

#include "place/place.h"
#include "store/record.h"

namespace crossbind::run {

// The host's description, and of crossbind the version and the revision it was built from.
[[nodiscard]] store::Environment environment_of(const place::Place& place,
                                                const std::string& version);

}  // namespace crossbind::run
