#include "tasks/infer/targets.h"

namespace crossbind::tasks {

std::vector<std::string> test_targets(const model::Model& model) {
  return model.loss == model::Loss::kSpanCrossEntropy
             ? std::vector<std::string>{"test.start", "test.end"}
             : std::vector<std::string>{"test.label"};
}

}  // namespace crossbind::tasks
