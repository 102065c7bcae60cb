#include "tasks/judge/result.h"

#include <algorithm>

namespace crossbind::tasks {

bool diverges(const Judged& judged) {
  return judged.ruling == Ruling::kDiverges;
}

std::optional<double> largest_ratio(const Judged& judged) {
  const auto largest = std::ranges::max_element(judged.errors, {}, &JudgedKind::ratio);
  return largest == judged.errors.end() ? std::nullopt : std::optional(largest->ratio);
}

}  // namespace crossbind::tasks
