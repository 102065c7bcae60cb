// The study in which a store keeps what conform says: no file of the user's, and known by its name.
#pragma once

#include <string>

#include "store/record.h"

namespace crossbind::tasks {

// `asked` is its text: models, seeds, steps and the like.
[[nodiscard]] store::StudyRecord conform_study(std::string asked);

// A study of the user's may have the name too: its trials say by their task whether they are
// conform's.
[[nodiscard]] bool may_hold_verdicts(const store::StudyRecord& study);

}  // namespace crossbind::tasks
