// What the gate decides, about a candidate or about itself. Values and their words only.
#pragma once

#include <array>
#include <string_view>

#include "base/named.h"

namespace crossbind::decide {

enum class GateDecision {
  kPassed,
  kFailed,     // something became wrong, or slower; of a self-test: too many false alarms
  kUndecided,  // nothing of either, but what was to be judged was not
};

inline constexpr std::array kGateDecisions = {
    Named<GateDecision>{"passed", GateDecision::kPassed},
    Named<GateDecision>{"failed", GateDecision::kFailed},
    Named<GateDecision>{"undecided", GateDecision::kUndecided},
};

[[nodiscard]] constexpr std::string_view to_string(GateDecision decision) {
  return name_in(kGateDecisions, decision);
}

}  // namespace crossbind::decide
