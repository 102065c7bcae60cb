// What a binding answered beside what it was expected to answer. The numbers are those that the run
// has put into the trial's record; how they look is the command's.
#pragma once

#include <optional>
#include <string>

#include "store/record.h"

namespace crossbind::app {

enum class Sameness {
  kIdentical,    // every output, bit for bit
  kClose,        // every prediction, but not every output
  kDiffers,      // some prediction or the accuracy
  kUnsupported,  // the binding, or the one that was to train, lacks something
  kFailed,
  kNotRun,
};

struct ComparedAnswers {
  Sameness sameness = Sameness::kNotRun;
  std::string reason;  // why there are no answers
  std::optional<double> accuracy;
  std::optional<double> expected_accuracy;
  std::optional<double> differing;  // predictions
  std::optional<double> smallest_margin;
  std::optional<double> largest_margin;
  std::optional<double> output_difference;  // the largest

  // 0 where one of the two is not known.
  [[nodiscard]] double accuracy_change() const;
};

// The answers of an inference that was compared (tasks/infer/compared_outputs.h), or that came to
// nothing.
[[nodiscard]] ComparedAnswers compared_answers(const store::TrialRecord& trial);

}  // namespace crossbind::app
