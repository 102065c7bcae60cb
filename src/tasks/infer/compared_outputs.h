// What an inference says, held against what the binding said that trained the parameters (or
// whoever else is asked to be right). Whether that is good enough is not decided here.
#pragma once

#include <filesystem>

#include "base/error.h"
#include "tasks/assignment.h"
#include "tasks/infer/result.h"

namespace crossbind::tasks {

// Adds to `inferred`, which has its accuracy, how `outputs` and job.expected compare. An accuracy
// that its own outputs do not bear out becomes a contradiction. Without labels among the data
// nothing is said of accuracy.
[[nodiscard]] Status compare_outputs(const Assignment& job,
                                     const std::filesystem::path& outputs,
                                     Inferred& inferred);

}  // namespace crossbind::tasks
