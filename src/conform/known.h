// Divergences that are expected of a binding, with the reason: its file known.toml
// (docs/conform.md). One that shows is called known; one that no longer shows, or shows elsewhere,
// is a finding of its own, so that the list stays true.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/finding.h"

namespace crossbind::conform {

struct KnownDivergence {
  std::string model;
  Part part = Part::kProbe;
  Kind kind = Kind::kForward;
  std::string layer;  // empty where it is no layer's
  int64_t step = 1;   // the first in which it shows
  std::string why;
};

// Errors name file and line. A file that is not there lists nothing.
[[nodiscard]] Result<std::vector<KnownDivergence>> load_known(const std::filesystem::path& path);

// Marks what is known in a concluded verdict, and, where it `looked` so many steps far, notes what
// it misses. 0 steps: at another size, where known divergences need not show.
void apply_known(const std::vector<KnownDivergence>& known, int64_t looked, Verdict& verdict);

}  // namespace crossbind::conform
