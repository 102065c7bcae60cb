// The n x n matrix of a study whose inferences use what every binding trained: each cell from the
// store, and where the store has none from the plan.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/compared_answers.h"
#include "plan/plan.h"
#include "spec/study.h"
#include "store/result_store.h"

namespace crossbind::cli {

struct CrossCell {
  std::string model;  // the entry's label
  std::string dataset;
  trial::Task task = trial::Task::kInferParameters;
  std::string trained_in;
  std::string scored_in;
  ComparedAnswers answers;
};

// By model, task, row and column, all bindings of the plan in both. The study has one seed, device,
// loader, variant and measure.
[[nodiscard]] Result<std::vector<CrossCell>> cross_cells(const spec::Study& study,
                                                         const plan::Plan& plan,
                                                         const store::ResultStore& store);

// A matrix a model and task, then what differs and why something is missing.
[[nodiscard]] std::string cross_text(const std::vector<CrossCell>& cells);
[[nodiscard]] analysis::Table cross_table(const std::vector<CrossCell>& cells);

}  // namespace crossbind::cli
