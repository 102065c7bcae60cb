// The types of layers and optimizers by name, each as a value whose fields are at their defaults.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/named.h"
#include "model/layers.h"
#include "model/optimizers.h"

namespace crossbind::model {

template <typename... Types>
[[nodiscard]] constexpr auto types_of(std::type_identity<std::variant<Types...>> /*which*/) {
  using Variant = std::variant<Types...>;
  return std::array{Named<Variant>{Description<Types>::kType, Types{}}...};
}

// In the order of the variants.
inline constexpr auto kLayerTypes = types_of(std::type_identity<Layer>());
inline constexpr auto kOptimizerTypes = types_of(std::type_identity<Optimizer>());

[[nodiscard]] std::string_view type_name(const Optimizer& optimizer);

}  // namespace crossbind::model
