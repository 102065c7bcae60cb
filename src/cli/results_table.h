// What a study measured, one line a comparison and binding: medians over seeds and repeats. A first
// look; statistics are not made here.
#pragma once

#include <string>

#include "base/error.h"
#include "store/result_store.h"

namespace crossbind::cli {

[[nodiscard]] Result<std::string> results_table(const store::ResultStore& store,
                                                const store::StudyId& study);

}  // namespace crossbind::cli
