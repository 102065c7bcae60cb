// Bindings of this machine as candidates of a check-up.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
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

// A program of one's own, in the working directory; the manifest there, where there is one, says
// what it should be.
[[nodiscard]] Result<FoundCandidate> find_program(const std::vector<std::string>& command);

[[nodiscard]] checkup::Place checkup_place(const std::filesystem::path& scratch,
                                           std::chrono::milliseconds patience);

}  // namespace crossbind::cli
