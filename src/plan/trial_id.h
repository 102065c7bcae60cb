// The identity of a trial: 128 bits, 32 hexadecimal digits as text.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace crossbind::plan {

struct TrialId {
  std::array<std::byte, 16> bytes{};

  auto operator<=>(const TrialId&) const = default;
  [[nodiscard]] std::string to_string() const;
};

// Nothing unless it is 32 lower-case hexadecimal digits.
[[nodiscard]] std::optional<TrialId> parse_trial_id(std::string_view text);

}  // namespace crossbind::plan

template <>
struct std::hash<crossbind::plan::TrialId> {
  // Any bytes of a hash are a hash.
  size_t operator()(const crossbind::plan::TrialId& id) const noexcept {
    size_t value = 0;
    std::memcpy(&value, id.bytes.data(), sizeof value);
    return value;
  }
};
