// What a binding answered beside what it was expected to answer: a verdict, a cell of a matrix, a
// row of a file. The numbers are those that the run has put into the trial's record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table.h"
#include "store/record.h"

namespace crossbind::cli {

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
};

// Of an inference that was compared (run/compared_outputs.h), or that came to nothing.
[[nodiscard]] ComparedAnswers compared_answers(const store::TrialRecord& trial);

[[nodiscard]] std::string_view word(Sameness sameness);  // "identical", "not run", ...

// "=", "≈ 3e-07", "2 differ, Δacc -0.20 %", "·" for what is unsupported.
[[nodiscard]] std::string cell_of(const ComparedAnswers& answers);
// The whole story of answers that differ, or the reason that there are none.
[[nodiscard]] std::string story_of(const ComparedAnswers& answers);
[[nodiscard]] std::string percent(double share);  // "97.20 %"

// For files: the columns' names, and the values of a row.
[[nodiscard]] std::vector<std::string> answer_columns();
[[nodiscard]] std::vector<analysis::Value> answer_values(const ComparedAnswers& answers);

// 0 where all that is supported is the same, 1 where something differs, else 3: something could not
// be tried.
[[nodiscard]] int exit_code(const std::vector<ComparedAnswers>& all);

}  // namespace crossbind::cli
