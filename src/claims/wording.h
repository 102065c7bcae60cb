// Conclusions in words and figures for people.
#pragma once

#include <string>

#include "claims/judge.h"

namespace crossbind::claims {

struct Wording {
  std::string figure;  // what was measured: of what decides, where the claim is decided
  std::string why;
};

[[nodiscard]] Wording wording(const Claim& claim, const JudgedClaim& judged);
[[nodiscard]] Wording wording(const Check& check, const JudgedCheck& judged);

// What tells a point from the others of its check, "lenet1 rust"; empty when it is the only one.
[[nodiscard]] std::string name_of(const JudgedPoint& point, const Check& check);

}  // namespace crossbind::claims
