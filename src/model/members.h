// Whether the description of a type names every member that the type has. C++20 cannot list the
// members of a struct, but it can say how many values the struct takes.
#pragma once

#include <cstddef>

#include "model/description.h"

namespace crossbind::model {

// Converts to whatever a member is; for the compiler's questions alone, never computed.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): to be implicit is its use
};

// Of an aggregate: as many as it can be made from, and no more.
template <typename Aggregate, typename... Values>
[[nodiscard]] consteval size_t member_count() {
  if constexpr (requires { Aggregate{Values{}..., Anything{}}; }) {
    return member_count<Aggregate, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

template <typename Field, typename Other>
[[nodiscard]] constexpr bool same_member(const Field& field, const Other& other) {
  if constexpr (requires { field.member == other.member; }) {
    return field.member == other.member;
  } else {
    return false;
  }
}

// Whether each member has a field of its own, and no two fields share one. Fields without a member
// stand for something that the type does not keep.
template <typename Described>
[[nodiscard]] consteval bool describes_all_members() {
  size_t with_member = 0;
  size_t pairs = 0;  // of fields with the same member, a field with itself included
  for_each_field<Described>([&](const auto& one) {
    with_member += same_member(one, one) ? 1 : 0;
    for_each_field<Described>([&](const auto& other) { pairs += same_member(one, other) ? 1 : 0; });
  });
  return with_member == member_count<Described>() && pairs == with_member;
}

}  // namespace crossbind::model
