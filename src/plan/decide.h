// What is to be done about each trial of a plan.
#pragma once

#include "base/error.h"
#include "plan/facts.h"
#include "plan/matrix.h"
#include "plan/plan.h"
#include "spec/study.h"

namespace crossbind::plan {

// Fills in decisions and notes. The facts decide in this order: what is done stays done; what this
// machine lacks (a binding or a data set that is not there has no identity yet either); what the
// binding lacks; what failed before. A training that nobody asked for runs all the same when a
// trial that runs needs its parameters and they are not there. Fails when --only trial=... matches
// none.
[[nodiscard]] Status decide(const spec::Study& study,
                            const Facts& facts,
                            const Matrix& matrix,
                            Plan& plan);

}  // namespace crossbind::plan
