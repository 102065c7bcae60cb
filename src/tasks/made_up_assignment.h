// An assignment for tests: 20 training and 10 test samples in batches of 8, for 2 epochs.
#pragma once

#include "tasks/assignment.h"

namespace crossbind::tasks {

// Its files would be in `directory`; none of them is made. The model must outlive it.
[[nodiscard]] Assignment made_up_assignment(const model::Model& model,
                                            trial::Task task,
                                            const std::filesystem::path& directory);

}  // namespace crossbind::tasks
