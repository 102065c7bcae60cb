// Whether the samples of two cells differ, by Mann-Whitney's U and Cliff's delta; or what was
// printed about it, where there are no samples. For tested.cc.
#pragma once

#include "claims/tested.h"

namespace crossbind::claims {

// A printed p of the quantity "x" is a cell "x.p" with the labels that both cells share, and `pair`
// where it is about these two; the effect's size is a word, "x.effect".
[[nodiscard]] Result<Tested> find_significance(const Test& test, Lookup& lookup);

}  // namespace crossbind::claims
