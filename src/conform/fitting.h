// A case with another model: its tensors cut, or repeated, to the shapes that this one has.
#pragma once

#include "base/error.h"
#include "conform/case.h"
#include "model/model.h"

namespace crossbind::conform {

// The model need not be whole: it is written as a model file and read again, so that shapes and
// parameters are inferred anew, and all that the reader refuses is an error here; a case is kept as
// such a file. Parameters that the case does not have get first values, inputs must be in its
// batch; its labels are taken modulo the classes.
[[nodiscard]] Result<Case> fitted(const Case& subject, const model::Model& model);

}  // namespace crossbind::conform
