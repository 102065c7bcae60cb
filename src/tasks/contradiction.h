// A claim that the numbers beside it do not bear out.
#pragma once

#include <string>

namespace crossbind::tasks {

struct Contradiction {
  std::string kind;   // "accuracy", "training_time", "macro_auc", ...
  std::string claim;  // as whoever measured has it; without spaces
  double value = 0;   // the claim as a number
  double expected = 0;

  bool operator==(const Contradiction&) const = default;
};

}  // namespace crossbind::tasks
