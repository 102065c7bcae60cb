// What files claim, computed again from the numbers beside the claim. Only what one training or one
// inference says about itself: what needs another trial is the analysis's part.
#pragma once

#include <string>
#include <vector>

#include "published/contents.h"

namespace crossbind::published {

struct Discrepancy {
  std::string kind;   // "training_time", "macro_auc", ...
  std::string claim;  // as the file has it
  double value = 0;
  double expected = 0;
};

// What is known of one training; any part may be missing.
struct TrainingFiles {
  std::vector<double> train_accuracy;  // by epoch
  std::vector<double> test_accuracy;
  std::optional<TimeCost> cost;
  std::optional<RocAuc> roc;

  [[nodiscard]] bool empty() const {
    return train_accuracy.empty() && test_accuracy.empty() && !cost && !roc;
  }
};

[[nodiscard]] std::vector<Discrepancy> recompute(const TrainingFiles& files, uint32_t seed);
[[nodiscard]] std::vector<Discrepancy> recompute(const Inference& inference);

// The area under a curve, by trapezoids.
[[nodiscard]] double area_under(const RocCurve& curve);
// The area under the mean of the curves, each taken at every rate of false positives that one of
// them has; this, and not the mean of the areas, is what the study calls macro.
[[nodiscard]] double area_under_mean(const std::map<std::string, RocCurve>& curves);

}  // namespace crossbind::published
