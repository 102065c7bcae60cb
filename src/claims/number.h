// Numbers made of cells, and how they are held against bounds. For tested.cc and its neighbours.
#pragma once

#include <optional>
#include <string>

#include "claims/claim.h"
#include "claims/tested.h"

namespace crossbind::claims {

struct Number {
  State state = State::kMissing;  // kHolds: there is one
  double value = 0;
  double scale = 0;    // the size of the numbers it was made of, by which it is rounded
  std::string reason;  // why there is none

  [[nodiscard]] bool is_there() const { return state == State::kHolds; }
};

[[nodiscard]] Number missing(std::string reason);

// The cell with these resolved labels in one number.
[[nodiscard]] Number number_of_cell(const Labels& labels, Stat stat, Lookup& lookup);
[[nodiscard]] Number number_of(const Expression& expression, Stat stat, Lookup& lookup);

// Numbers that differ by less than a part in 10^9 of what they were made of are equal: decimal
// fractions such as 98.70 - 98.69 are not exact.
[[nodiscard]] bool is_less(const Number& a, const Number& b);
[[nodiscard]] bool is_within(const Number& number, const Bounds& bounds);

}  // namespace crossbind::claims
