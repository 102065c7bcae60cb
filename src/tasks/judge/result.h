// What the referee said of training steps that a worker took apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tasks/ruling.h"
#include "trial/kind.h"

namespace crossbind::tasks {

// The largest error of one kind in one step.
struct JudgedKind {
  int step = 0;  // from 1
  trial::Kind kind = trial::Kind::kForward;
  double ratio = 0;  // 1 is the bound

  bool operator==(const JudgedKind&) const = default;
};

struct Judged {
  std::vector<JudgedKind> errors;  // by step, then by kind
  Ruling ruling = Ruling::kNone;
  std::string where;  // it diverges: step, kind, tensor and numbers in words

  bool operator==(const Judged&) const = default;
};

[[nodiscard]] bool diverges(const Judged& judged);

// Nothing where no step was judged.
[[nodiscard]] std::optional<double> largest_ratio(const Judged& judged);

}  // namespace crossbind::tasks
