// How the ten digits are written: for each, a few hands, each a list of strokes in a unit box, x to
// the right and y down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossbind::data {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Line { kStraight, kCurved };

struct Stroke {
  Line line = Line::kStraight;
  std::vector<Point> points;  // passed through in order, straight or as a smooth curve
};

using Hand = std::vector<Stroke>;

// The ways to write a digit of 0..9.
[[nodiscard]] std::span<const Hand> hands_of(int64_t digit);

}  // namespace crossbind::data
