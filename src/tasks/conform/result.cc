#include "tasks/conform/result.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace crossbind::tasks {

bool diverges(const Conformed& conformed) {
  return ruling_of(conformed.outcome) == Ruling::kDiverges;
}

std::string where_in_words(const Divergence& divergence) {
  std::string text = fmt::format(
      "{} of {}", name_in(trial::kKinds, divergence.kind), name_in(kConformParts, divergence.part));
  for (const auto& [name, value] : {std::pair("layer", divergence.layer),
                                    std::pair("tensor", divergence.tensor),
                                    std::pair("detail", divergence.detail)}) {
    if (!value.empty()) {
      text += fmt::format(", {} {}", name, value);
    }
  }
  if (const double ratio = divergence.error / divergence.bound; std::isfinite(ratio)) {
    text += fmt::format(", {:.3g} times its bound", ratio);
  }
  return text + (divergence.cause.empty() ? "; the cause is unknown"
                                          : fmt::format("; cause: {}", divergence.cause));
}

bool has_ratio(const Conformed& conformed) {
  return ruling_of(conformed.outcome) == Ruling::kAgrees ||
         (conformed.divergence && is_measured(conformed.divergence->kind));
}

}  // namespace crossbind::tasks
