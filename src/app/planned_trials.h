// How many trials a stored study has when it is through.
#pragma once

#include <cstddef>
#include <optional>

#include "app/resources.h"
#include "store/record.h"

namespace crossbind::app {

// How many trials a study would have on the machine now: those that run, and those that are known
// to be unsupported. None where that cannot be told, as with a study that names a model by its
// file.
[[nodiscard]] std::optional<size_t> planned_trials(const store::StudyRecord& study,
                                                   const Machine& machine);

}  // namespace crossbind::app
