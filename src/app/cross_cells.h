// The n x n matrix of a study whose inferences use what every binding trained: each cell from the
// store, and where the store has none from the plan.
#pragma once

#include <string>
#include <vector>

#include "app/compared_answers.h"
#include "base/error.h"
#include "plan/plan.h"
#include "spec/study.h"
#include "store/store_reader.h"

namespace crossbind::app {

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
                                                         const store::StoreReader& store);

}  // namespace crossbind::app
