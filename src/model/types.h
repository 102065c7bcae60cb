// The types of layers and optimizers by name, each as a value whose fields are at their defaults.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/named.h"
#include "model/layers.h"
#include "model/members.h"
#include "model/optimizers.h"

namespace crossbind::model {

// A member without a field would be missing in the graph, and so in a trial's identity.
template <typename Described>
[[nodiscard]] constexpr std::string_view name_of_described() {
  static_assert(describes_all_members<Described>(),
                "each member of the type needs a line of its own in its Description's kFields");
  return Description<Described>::kType;
}

template <typename... Types>
[[nodiscard]] constexpr auto types_of(std::type_identity<std::variant<Types...>> /*which*/) {
  using Variant = std::variant<Types...>;
  return std::array{Named<Variant>{name_of_described<Types>(), Types{}}...};
}

// In the order of the variants.
inline constexpr auto kLayerTypes = types_of(std::type_identity<Layer>());
inline constexpr auto kOptimizerTypes = types_of(std::type_identity<Optimizer>());
inline constexpr auto kDecayType = name_of_described<WeightDecay>();  // no optimizer, a part of all

[[nodiscard]] std::string_view type_name(const Optimizer& optimizer);

}  // namespace crossbind::model
