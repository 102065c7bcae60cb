#include "model/forms.h"

#include <nlohmann/json.hpp>

#include "model/graph_json.h"
#include "model/graph_reader.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::ordered_json;

// Words stand for themselves, numbers and truth values as JSON has them.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

void set(Json& fields, const std::string& name, const std::string& form) {
  if (const auto field = fields.find(name); field != fields.end()) {
    *field = value_of(form);
  }
}

}  // namespace

Result<Model> with_forms(const Model& model, const Forms& forms) {
  Json graph = canonical_graph(model);
  for (const auto& [name, form] : forms) {
    const size_t dot = name.find('.');
    if (dot == std::string::npos) {
      continue;
    }
    const std::string type = name.substr(0, dot);
    const std::string field = name.substr(dot + 1);
    for (auto& node : graph["nodes"]) {
      if (node["type"] == type) {
        set(node["fields"], field, form);
      }
    }
    if (graph["optimizer"]["type"] == type) {
      set(graph["optimizer"], field, form);
    }
  }
  return read_graph(graph.dump());
}

}  // namespace crossbind::model
