// Two bindings of a report side by side, whatever their frameworks: their verdicts, their times in
// every group that both were measured in, their scores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/report.h"
#include "stats/comparison.h"

namespace crossbind::serve {

struct ComparedVerdicts {
  std::string model;
  report::Agreement a = report::Agreement::kNotMeasured;
  report::Agreement b = report::Agreement::kNotMeasured;
};

// Of times in seconds, or of a score of trained models.
struct ComparedSamples {
  std::string what;  // "training", "inference", "accuracy", "f1", "auc"
  report::Group group;
  stats::Comparison comparison;
  double p_adjusted = 1;  // Holm's, within what was compared of its kind
};

struct Compared {
  std::vector<ComparedVerdicts> verdicts;
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
