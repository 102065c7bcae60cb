#include "tasks/infer/targets.h"

#include <fmt/format.h>

#include "model/losses.h"

namespace crossbind::tasks {

std::vector<std::string> test_targets(const model::Model& model) {
  std::vector<std::string> names;
  for (const std::string_view target : model::describe(model.loss).targets) {
    names.push_back(fmt::format("test.{}", target));
  }
  return names;
}

}  // namespace crossbind::tasks
