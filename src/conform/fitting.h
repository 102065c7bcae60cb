// A case with another model: its tensors cut, or repeated, to the shapes that this one has.
#pragma once

#include "base/error.h"
#include "conform/case.h"
#include "model/model.h"

namespace crossbind::conform {

// The model need not be whole: shapes and parameters are inferred anew, as of a model file. An
// error where they do not fit. Parameters that the case does not have get first values, inputs must
// be in its batch; its labels are taken modulo the classes.
[[nodiscard]] Result<Case> fitted(const Case& subject, const model::Model& model);

}  // namespace crossbind::conform
