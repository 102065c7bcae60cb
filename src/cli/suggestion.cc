#include "cli/suggestion.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace crossbind::cli {

std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* level = &app;
  for (const auto& argument : arguments) {
    std::vector<std::string> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* child : level->get_subcommands(nullptr)) {
      names.push_back(child->get_name());
      next = child->get_name() == argument ? child : next;
    }
    if (next == nullptr) {
      const std::string near = nearest(argument, names);
      return near.empty() ? ""
                          : fmt::format("Did you mean '{}' instead of '{}'?\n", near, argument);
    }
    level = next;
  }
  return "";
}

}  // namespace crossbind::cli
