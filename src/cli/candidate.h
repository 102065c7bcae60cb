// Bindings of this machine as candidates of a check-up.
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "checkup/examination.h"
#include "workers/binding.h"
#include "workers/file_lock.h"

namespace crossbind::cli {

struct FoundCandidate {
  checkup::Candidate candidate;
  std::vector<workers::FileLock> locks;  // no setup removes it meanwhile
};

// A ready binding, with whoever of `all` serializes models for it.
[[nodiscard]] Result<FoundCandidate> find_candidate(const workers::Binding& binding,
                                                    const std::vector<workers::Binding>& all);

[[nodiscard]] checkup::Place checkup_place(const std::filesystem::path& scratch,
                                           std::chrono::milliseconds patience);

}  // namespace crossbind::cli
