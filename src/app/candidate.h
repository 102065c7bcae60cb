// Bindings of this machine as candidates of a check-up.
#pragma once

#include <string>
#include <vector>

#include "app/resources.h"
#include "base/error.h"
#include "checkup/examination.h"
#include "workers/binding.h"
#include "workers/file_lock.h"

namespace crossbind::app {

struct FoundCandidate {
  checkup::Candidate candidate;
  std::vector<workers::FileLock> locks;  // no setup removes it meanwhile
};

// A ready binding, with whoever of `all` serializes models for it.
[[nodiscard]] Result<FoundCandidate> find_candidate(const workers::Binding& binding,
                                                    const std::vector<workers::Binding>& all,
                                                    const workers::Places& places);

// The ready binding of this name, or of a pattern that means one alone.
[[nodiscard]] Result<FoundCandidate> find_candidate_named(const std::string& name,
                                                          const workers::Places& places);

// A program of one's own, in the working directory; the manifest there, where there is one, says
// what it should be.
[[nodiscard]] Result<FoundCandidate> find_program(const std::vector<std::string>& command);

}  // namespace crossbind::app
