#include "cli/bindings_report.h"

#include <nlohmann/json.hpp>

#include "cli/json_text.h"
#include "cli/text_table.h"
#include "workers/installation.h"

namespace crossbind::cli {
namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// Where its worker is, there or not yet; empty where nothing is known.
workers::Installation installation_of(const workers::Binding& binding,
                                      const workers::Places& places) {
  if (!binding.manifest) {
    return {};
  }
  return workers::installation_of(*binding.manifest, binding.build, places)
      .value_or(workers::Installation{});
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
    const auto installation = installation_of(binding, places);
    Json shared = Json::array();
    for (const auto& home : installation.shared) {
      shared.push_back(home.path.string());
    }
    list.push_back({{"binding", binding.name},
                    {"framework", binding.framework},
                    {"language", binding.language},
                    {"title", binding.title},
                    {"state", name_in(workers::kStates, binding.state)},
                    {"reason", binding.reason},
                    {"command", binding.command},
                    {"build", binding.build},
                    {"program", installation.program},
                    {"home", installation.own ? installation.own->path.string() : ""},
                    {"shared", std::move(shared)}});
  }
  return json_text(list);
}

}  // namespace crossbind::cli
