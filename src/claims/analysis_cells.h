// The cells of a store: what its analysis found, under the names that docs/claims.md lists.
#pragma once

#include "analysis/analysis.h"
#include "base/error.h"
#include "claims/cells.h"

namespace crossbind::claims {

// Accuracies are in percent here, as papers print them.
[[nodiscard]] Result<Cells> cells_of(const analysis::Analysis& analysis);

}  // namespace crossbind::claims
