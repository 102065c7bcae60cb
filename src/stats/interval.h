// An interval of confidence.
#pragma once

namespace crossbind::stats {

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool operator==(const Interval&) const = default;
};

}  // namespace crossbind::stats
