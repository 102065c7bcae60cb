// The request of an inference, and what becomes of its outputs: hashed, compared, kept.
#pragma once

#include <filesystem>
#include <string>

#include "tasks/conduct.h"

namespace crossbind::tasks {

[[nodiscard]] converse::Attempt<Inferred> infer(const Session& session);

// SHA-256 of the outputs that a worker wrote for the test set.
[[nodiscard]] converse::Attempt<std::string> hash_of_outputs(const Assignment& job,
                                                             const std::filesystem::path& path);

}  // namespace crossbind::tasks
