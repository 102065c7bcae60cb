// Training steps that a worker takes apart and the referee judges, each from what the worker came
// to in the one before. No two workers are compared: that is conform's.
#pragma once

#include "tasks/conduct.h"

namespace crossbind::tasks {

// The worker must be prepared. It takes the steps on the first batches of the first epoch, with
// dropout off, up to the first that diverges, and is judged by the model with the forms that it
// has: `effective`.
[[nodiscard]] converse::Attempt<Judged> judge_steps(const Session& session,
                                                    const protocol::Texts& effective);

}  // namespace crossbind::tasks
