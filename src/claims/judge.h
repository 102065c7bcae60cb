// Claims held against cells: the conclusion, how much of what was asked about was measured, and
// every point that was asked about. Words and figures for people are in wording.h.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "claims/tested.h"

namespace crossbind::claims {

// What comes out for a claim, or for one of its checks.
enum class Conclusion { kConfirmed, kRefuted, kPartlyMeasured, kNotMeasured };

inline constexpr std::array<Named<Conclusion>, 4> kConclusions = {
    {{"confirmed", Conclusion::kConfirmed},
     {"refuted", Conclusion::kRefuted},
     {"partly measured", Conclusion::kPartlyMeasured},
     {"not measured", Conclusion::kNotMeasured}}};

[[nodiscard]] std::string_view to_string(Conclusion conclusion);

struct Tally {
  size_t measured = 0;
  size_t holding = 0;
  size_t asked = 0;  // what does not apply is not counted
};

struct JudgedPoint {
  Labels labels;     // of `each` and `some`
  Labels condition;  // where the cells had to be told apart by one
  Tested tested;
};

struct JudgedCheck {
  Conclusion conclusion = Conclusion::kNotMeasured;
  bool holds_so_far = false;  // means something when partly measured
  Tally tally;
  std::vector<JudgedPoint> points;
};

struct JudgedClaim {
  // Refuted where a check is, whatever is missing; confirmed where all are.
  Conclusion conclusion = Conclusion::kNotMeasured;
  bool holds_so_far = false;
  Tally tally;
  std::vector<JudgedCheck> checks;  // in the claim's order
};

[[nodiscard]] Result<JudgedClaim> judge(const Claim& claim, const Cells& cells);

}  // namespace crossbind::claims
