// The words of an enumeration: one list, for both directions.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace crossbind {

template <typename T>
struct Named {
  std::string_view name;
  T value;
};

template <typename T, size_t N>
[[nodiscard]] constexpr std::string_view name_in(const std::array<Named<T>, N>& names, T value) {
  return std::ranges::find(names, value, &Named<T>::value)->name;
}

template <typename T, size_t N>
[[nodiscard]] constexpr std::optional<T> value_in(const std::array<Named<T>, N>& names,
                                                  std::string_view name) {
  const auto found = std::ranges::find(names, name, &Named<T>::name);
  return found == names.end() ? std::nullopt : std::optional<T>(found->value);
}

}  // namespace crossbind
