// A claim: what somebody published as true, as a query that cells answer. docs/claims.md has the
// language. Plain values; says nothing about how they are read or judged.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/named.h"
#include "claims/grid.h"
#include "stats/effect_size.h"

namespace crossbind::claims {

// A number made of cells. A cell's labels complete and override those of the point that is asked
// about; "$name" in a value stands for the point's `name` or `$name`.
struct Expression {
  enum class Kind { kCell, kRatio, kDifference };
  Kind kind = Kind::kCell;
  Labels labels;                     // of a cell
  std::vector<Expression> operands;  // two, of the others
};

enum class TestKind {
  kValue,       // a cell's number within bounds, or its word
  kRatio,       // first over second
  kDifference,  // first minus second
  kRising,      // each smaller than the next
  kRange,       // largest minus smallest among cells
  kFactor,      // largest over smallest among cells
  kLowest,      // which of some cells has the smallest number
  kHighest,
  kDiffers,  // significantly, with an effect
  kAlike,    // not significantly different
  kSame,     // the same word, or the same number
};

inline constexpr std::array<Named<TestKind>, 11> kTestKinds = {
    {{"value", TestKind::kValue},
     {"ratio", TestKind::kRatio},
     {"difference", TestKind::kDifference},
     {"rising", TestKind::kRising},
     {"range", TestKind::kRange},
     {"factor", TestKind::kFactor},
     {"lowest", TestKind::kLowest},
     {"highest", TestKind::kHighest},
     {"differs", TestKind::kDiffers},
     {"alike", TestKind::kAlike},
     {"same", TestKind::kSame}}};

enum class Stat { kMedian, kMean, kMin, kMax };  // a cell's samples in one number

inline constexpr std::array<Named<Stat>, 4> kStats = {
    {{"median", Stat::kMedian}, {"mean", Stat::kMean}, {"min", Stat::kMin}, {"max", Stat::kMax}}};

inline constexpr std::array<Named<stats::Magnitude>, 4> kEffects = {
    {{"negligible", stats::Magnitude::kNegligible},
     {"small", stats::Magnitude::kSmall},
     {"medium", stats::Magnitude::kMedium},
     {"large", stats::Magnitude::kLarge}}};

struct Bounds {
  std::optional<double> above;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<double> below;
};

struct Test {
  TestKind kind = TestKind::kValue;
  std::vector<Expression> operands;  // one where there is `among`
  Grid among;                        // the cells that range, factor, lowest and highest compare
  Bounds bounds;
  std::vector<std::string> is;      // one of these words; "$name" as in labels
  std::vector<std::string> is_not;  // none of these
  Stat stat = Stat::kMedian;
  double alpha = 0.05;
  stats::Magnitude effect = stats::Magnitude::kNegligible;  // the smallest that counts
  Grid family;  // alpha is divided by how many of these, put over the second cell, were measured
};

// For each point of one grid, for some point of another, all tests hold.
struct Check {
  std::string text;  // what this part says; may be empty
  Grid each;
  Grid some;  // without: no choice
  // Holds where the share of the points of `each` that hold is above or at least this.
  std::optional<double> share_above;
  std::optional<double> share_at_least;
  Labels otherwise;  // put over a point's labels where a cell is missing
  std::vector<Test> tests;
};

struct Claim {
  std::string id;
  std::string text;
  std::string printed;  // the figure that was published; may be empty
  std::vector<Check> checks;
};

struct ClaimList {
  std::string title;
  std::vector<Claim> claims;
};

}  // namespace crossbind::claims
