// The requests of a training: train, and, where others use what was trained, the untimed inference
// that says what the trained model answers.
#pragma once

#include "tasks/conduct.h"

namespace crossbind::tasks {

[[nodiscard]] converse::Attempt<Trained> train(const Session& session);

}  // namespace crossbind::tasks
