// Delta debugging of a divergence: makes a case smaller as long as it diverges. Greedy: what is
// left does not diverge any more with any single reduction, if the attempts sufficed.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "conform/case.h"

namespace crossbind::conform {

// Runs the binding. An error ends the shrinking; a case that the binding cannot run does not
// diverge.
using Diverges = std::function<Result<bool>(const Case&)>;

struct Try {
  int number = 0;
  std::string words;  // what was made smaller
  bool diverges = false;
};
using OnTry = std::function<void(const Try&)>;  // for progress; may be empty

inline constexpr int kMaximumAttempts = 300;

struct Shrunk {
  Case subject;
  int attempts = 0;
  bool is_minimal = false;  // false: the attempts were used up
};

// The case must diverge. layer: where, the best guess at what matters; may be empty.
[[nodiscard]] Result<Shrunk> shrink(Case subject,
                                    const std::string& layer,
                                    const Diverges& diverges,
                                    const OnTry& on_attempt,
                                    int attempts = kMaximumAttempts);

}  // namespace crossbind::conform
