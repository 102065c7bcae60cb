#include "cli/bindings_report.h"

#include <nlohmann/json.hpp>

#include "cli/json_text.h"
#include "cli/text_table.h"
#include "workers/home.h"

namespace crossbind::cli {
namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// Where it is, or will be, installed; empty when nothing is.
std::string home_of(const workers::Binding& binding, const workers::Places& places) {
  if (!binding.manifest || binding.manifest->setup.empty()) {
    return {};
  }
  return workers::worker_home(*binding.manifest, binding.build, places).path.string();
}

}  // namespace

std::string bindings_table(const std::vector<workers::Binding>& bindings) {
  TextTable table({{"BINDING"}, {"STATE"}, {"TITLE"}, {"MISSING"}, {"COMMAND"}});
  std::string errors;  // too long for a column
  for (const auto& binding : bindings) {
    const bool is_broken = binding.state == workers::State::kBroken;
    table.add({binding.name,
               std::string(name_in(workers::kStates, binding.state)),
               or_dash(binding.title),
               is_broken ? "see below" : or_dash(binding.reason),
               or_dash(binding.command)});
    if (is_broken) {
      errors += fmt::format("\n{}: {}\n", binding.name, binding.reason);
    }
  }
  return table.to_string() + errors;
}

std::string bindings_json(const std::vector<workers::Binding>& bindings,
                          const workers::Places& places) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const auto& binding : bindings) {
    list.push_back({{"binding", binding.name},
                    {"framework", binding.framework},
                    {"language", binding.language},
                    {"title", binding.title},
                    {"state", name_in(workers::kStates, binding.state)},
                    {"reason", binding.reason},
                    {"command", binding.command},
                    {"build", binding.build},
                    {"home", home_of(binding, places)}});
  }
  return json_text(list);
}

}  // namespace crossbind::cli
