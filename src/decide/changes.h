// Whether a trial's results became wrong: the same trial of two builds side by side. Times are
// not looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/kept.h"

namespace crossbind::decide {

enum class ChangeKind {
  kOutcome,       // done before, not now
  kRuling,        // within rounding before, diverges now
  kAccuracy,      // another accuracy of the same seed than rounding can explain
  kReproduction,  // a model that kept its accuracy does not any more
};

[[nodiscard]] std::string_view to_string(ChangeKind kind);

struct Change {
  ChangeKind kind = ChangeKind::kOutcome;
  std::string what;  // "was done, failed: out of memory"
};

// How far the accuracy of one seed may move without being called changed.
//
// Two correct builds add in another order, and what follows from that in a training compounds until
// its end (which is why curves are never judged step by step): at worst they end like two trainings
// from different seeds. So it takes both more than four standard errors of the difference of two
// shares of the test set, and more than the baseline's own seeds differ.
class AccuracyTolerance {
 public:
  AccuracyTolerance(const Treatment& treatment, const Trials& baseline);

  // How far apart two accuracies may be; none where neither the size of the test set nor three
  // seeds are known.
  [[nodiscard]] std::optional<double> between(double a, double b) const;

 private:
  std::optional<double> test_samples_;
  double spread_ = 0;  // over seeds
  bool has_spread_ = false;
};

// What became wrong, if anything.
[[nodiscard]] std::optional<Change> change_between(const Kept& baseline,
                                                   const Kept& candidate,
                                                   const AccuracyTolerance& tolerance);

}  // namespace crossbind::decide
