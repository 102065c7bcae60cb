// Two bindings of a report side by side, whatever their frameworks: their grades, their times in
// every group that both were measured in, their scores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/difference.h"
#include "report/document.h"
#include "report/report.h"
#include "stats/comparison.h"

namespace crossbind::serve {

struct ComparedGrades {
  std::string model;
  report::Grade a = report::Grade::kNotMeasured;
  report::Grade b = report::Grade::kNotMeasured;
};

// Two bindings' times in seconds, or a score of the models that they trained.
struct ComparedSamples {
  std::string what;  // "training", "inference", "accuracy", "f1", "auc"
  report::Group group;
  stats::Comparison comparison;
  // How far the same binding is from itself: of times the ratio of medians, of scores the
  // difference of means.
  std::optional<double> noise;
  bool is_above_noise = false;
  double p_adjusted = 1;  // Holm's, within what was compared of its kind

  [[nodiscard]] analysis::Difference difference() const {
    return analysis::difference(
        p_adjusted, comparison.smallest_p, noise ? std::optional(is_above_noise) : std::nullopt);
  }
};

struct Compared {
  std::vector<ComparedGrades> grades;
  std::vector<ComparedSamples> times;
  std::vector<ComparedSamples> scores;
};

[[nodiscard]] Result<Compared> compare_bindings(const report::Report& report,
                                                const std::string& a,
                                                const std::string& b);

// The report's sections with figures, with nothing in them but what is of these two.
[[nodiscard]] report::Document document_of_two(const report::Report& report,
                                               const std::string& a,
                                               const std::string& b);

}  // namespace crossbind::serve
