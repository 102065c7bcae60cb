// Trials grouped by what they share, in the order of tables.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/names.h"
#include "analysis/observation.h"

namespace crossbind::analysis {

// A binding in the order of tables.
struct BindingKey {
  explicit BindingKey(std::string binding) : rank(rank_of(binding)), name(std::move(binding)) {}

  size_t rank;
  std::string name;

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const BindingKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

using SeedAndRepeat = std::pair<uint32_t, int>;

// What each binding has in one scope (and device).
template <typename T>
using ByBinding = std::map<BindingKey, T>;

// One training a seed and repeat: the one without inner timers where there are both.
using Trainings = std::map<Scope, ByBinding<std::map<SeedAndRepeat, const Observation*>>>;

[[nodiscard]] Trainings trainings_in(const Observations& observations);

}  // namespace crossbind::analysis
