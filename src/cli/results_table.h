// What a study measured, one line a comparison and binding: medians over seeds and repeats. A first
// look; statistics are not made here.
#pragma once

#include <string>
#include <unordered_set>

#include "base/error.h"
#include "store/store_reader.h"

namespace crossbind::cli {

// Only of the trials with these identities: under the same study a store may also hold those of
// earlier builds of a worker.
[[nodiscard]] Result<std::string> results_table(const store::StoreReader& store,
                                                const store::StudyId& study,
                                                const std::unordered_set<std::string>& identities);

}  // namespace crossbind::cli
