// A case in front of a binding: its worker takes the step, the referee judges it. And the smallest
// case that still shows a divergence, as a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/case.h"
#include "conform/finding.h"
#include "conform/subject.h"
#include "trial/capabilities.h"

namespace crossbind::conform {

struct Replayed {
  PartFinding finding;  // of the probe, or of the evaluation
  trial::ProbeLevel level = trial::ProbeLevel::kNone;
  std::vector<std::string> conventions;
};

// The worker is prepared anew, and forgets what it was prepared with.
[[nodiscard]] converse::Attempt<Replayed> replay(Subject& binding,
                                                 const trial::Capabilities& able,
                                                 const Case& subject);

// Shrinks the case while the divergence stays where it is and what it is, and writes it down.
// Fails when it does not show in the step alone, as with what is left over from an earlier step.
[[nodiscard]] Status keep_smallest(Subject& binding,
                                   const trial::Capabilities& able,
                                   const Case& subject,
                                   const std::string& name,
                                   const std::filesystem::path& folder);

}  // namespace crossbind::conform
