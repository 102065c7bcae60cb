// What conform says of a binding on a model, in its own words: the values are those that a store
// keeps.
#pragma once

#include "tasks/conform/result.h"
#include "trial/kind.h"

namespace crossbind::conform {

using tasks::Divergence;
using tasks::PartFinding;
using tasks::Verdict;
using trial::Kind;
using trial::kKinds;
using Part = tasks::ConformPart;
using Outcome = tasks::ConformOutcome;
inline constexpr auto& kParts = tasks::kConformParts;
inline constexpr auto& kOutcomes = tasks::kConformOutcomes;

[[nodiscard]] constexpr bool agrees(Outcome outcome) {
  return tasks::ruling_of(outcome) == tasks::Ruling::kAgrees;
}

}  // namespace crossbind::conform
