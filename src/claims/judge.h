// Claims held against cells: the verdict, how much of what was asked about was measured, and every
// point that was asked about. Words and figures for people are in wording.h.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "claims/finding.h"

namespace crossbind::claims {

enum class Verdict { kConfirmed, kRefuted, kPartlyMeasured, kNotMeasured };

inline constexpr std::array<Named<Verdict>, 4> kVerdicts = {
    {{"confirmed", Verdict::kConfirmed},
     {"refuted", Verdict::kRefuted},
     {"partly measured", Verdict::kPartlyMeasured},
     {"not measured", Verdict::kNotMeasured}}};

[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Tally {
  size_t measured = 0;
  size_t holding = 0;
  size_t asked = 0;  // what does not apply is not counted
};

struct JudgedPoint {
  Labels labels;     // of `each` and `some`
  Labels condition;  // where the cells had to be told apart by one
  Finding finding;
};

struct JudgedCheck {
  Verdict verdict = Verdict::kNotMeasured;
  bool holds_so_far = false;  // means something when partly measured
  Tally tally;
  std::vector<JudgedPoint> points;
};

struct JudgedClaim {
  // Refuted where a check is, whatever is missing; confirmed where all are.
  Verdict verdict = Verdict::kNotMeasured;
  bool holds_so_far = false;
  Tally tally;
  std::vector<JudgedCheck> checks;  // in the claim's order
};

[[nodiscard]] Result<JudgedClaim> judge(const Claim& claim, const Cells& cells);

}  // namespace crossbind::claims
