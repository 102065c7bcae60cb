// How the trainings of a study went, epoch by epoch, and what the referee said of their steps: one
// line a condition and binding, medians over seeds and repeats.
#pragma once

#include <string>
#include <unordered_set>

#include "base/error.h"
#include "store/store_reader.h"

namespace crossbind::cli {

// A table of the trials with these identities. At most five epochs are shown, the first and the
// last among them. Empty when nothing was trained or judged.
[[nodiscard]] Result<std::string> curves_table(const store::StoreReader& store,
                                               const store::StudyId& study,
                                               const std::unordered_set<std::string>& identities);

}  // namespace crossbind::cli
