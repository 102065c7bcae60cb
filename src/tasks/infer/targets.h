// The tensors of a data set that say what is right of the test set.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace crossbind::tasks {

[[nodiscard]] std::vector<std::string> test_targets(const model::Model& model);

}  // namespace crossbind::tasks
