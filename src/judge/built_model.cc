#include "judge/built_model.h"

#include <fmt/format.h>

namespace crossbind::judge {

std::vector<std::string> conventions_of(const model::Model& model, const model::Forms& effective) {
  std::vector<std::string> conventions;
  for (const auto& [name, form] : effective) {
    const std::string asked = model::form_of(model, name);
    if (!asked.empty() && asked != form) {
      conventions.push_back(fmt::format("{} = {}", name, form));
    }
  }
  return conventions;
}

model::Model without_dropout(model::Model model) {
  for (auto& node : model.nodes) {
    if (auto* dropout = std::get_if<model::Dropout>(&node.layer)) {
      dropout->rate = 0;
    }
  }
  return model;
}

}  // namespace crossbind::judge
