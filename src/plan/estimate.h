// About how long the trials of a plan take: from the arithmetic of the models, not from
// measurements. Good for choosing sizes, within a factor of two or so.
#pragma once

#include <chrono>

#include "plan/plan.h"

namespace crossbind::plan {

using Seconds = std::chrono::duration<double>;

// What the estimate takes a machine for: one core of a server of the 2020s.
inline constexpr double kMultiplyAdds = 40e9;  // a second, of large products
inline constexpr double kValues = 0.7e9;       // a second, through a layer
inline constexpr Seconds kStart{4};            // of a worker, until its first step

// How long trials take one after the other, those on the CPU: nothing is known of other devices.
struct Estimate {
  Seconds to_run{0};
  Seconds unavailable{0};  // if what is missing here were there
};

[[nodiscard]] Estimate estimate(const spec::Study& study, const Facts& facts, const Plan& plan);

}  // namespace crossbind::plan
