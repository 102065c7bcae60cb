#include "model/graph_reader.h"

#include <fmt/format.h>

#include "model/field_json.h"
#include "model/graph_json.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::json;

// The value that a word of the graph stands for; `what` names the word in errors.
template <typename T, size_t N>
T named(const std::array<Named<T>, N>& names, const std::string& name, std::string_view what) {
  const auto value = value_in(names, name);
  if (!value) {
    throw GraphError{ErrorKind::kUnsupported, fmt::format("{}{}", what, name)};
  }
  return *value;
}

Source find_source(const Model& model, const std::string& name) {
  for (size_t index = 0; index < model.inputs.size(); ++index) {
    if (model.inputs[index].name == name) {
      return {true, index};
    }
  }
  for (size_t index = 0; index < model.nodes.size(); ++index) {
    if (model.nodes[index].name == name) {
      return {false, index};
    }
  }
  throw GraphError{ErrorKind::kInvalid,
                   fmt::format("'{}' is neither an input nor an earlier layer", name)};
}

void add_node(Model& model, const Json& json) {
  Node node;
  node.name = json.at("name").get<std::string>();
  node.layer = named(kLayerTypes, json.at("type").get<std::string>(), "layer ");
  std::visit([&](auto& typed) { read_graph_fields(typed, json.at("fields")); }, node.layer);
  node.output = json.at("output").get<Shape>();
  for (const Json& input : json.at("inputs")) {
    node.inputs.push_back(find_source(model, input.get<std::string>()));
  }
  for (const Json& parameter : json.at("parameters")) {
    node.parameters.push_back(model.parameters.size());
    model.parameters.push_back({parameter.at("name").get<std::string>(),
                                parameter.at("shape").get<Shape>(),
                                named(kRoles, parameter.at("role").get<std::string>(), "role="),
                                {}});
  }
  model.nodes.push_back(std::move(node));
}

Optimizer optimizer_of(const Json& json) {
  auto optimizer = named(kOptimizerTypes, json.at("type").get<std::string>(), "optimizer ");
  std::visit([&](auto& typed) { read_graph_fields(typed, json); }, optimizer);
  return optimizer;
}

Model model_of(const Json& json) {
  if (const int version = json.at("version").get<int>(); version != kGraphVersion) {
    throw GraphError{
        ErrorKind::kUnsupported,
        fmt::format("a graph of version {}: this program reads {}", version, kGraphVersion)};
  }
  Model model;
  model.id = json.at("id").get<std::string>();
  model.title = json.at("title").get<std::string>();
  model.dataset = json.at("dataset").get<std::string>();
  model.batch = json.at("batch").get<int64_t>();
  for (const Json& input : json.at("inputs")) {
    const bool is_integer = input.at("type").get<std::string>() == "integer";
    model.inputs.push_back({input.at("name").get<std::string>(),
                            input.at("shape").get<Shape>(),
                            is_integer ? input.at("entries").get<int64_t>() : 0});
  }
  for (const Json& node : json.at("nodes")) {
    add_node(model, node);
  }
  if (model.nodes.empty()) {
    throw GraphError{ErrorKind::kInvalid, "has no layers"};
  }
  model.loss = named(kLosses, json.at("loss").at("type").get<std::string>(), "loss ");
  model.optimizer = optimizer_of(json.at("optimizer"));
  return model;
}

}  // namespace

Result<Model> read_graph(std::string_view json) {
  return reading_graph([&] { return model_of(Json::parse(json)); });
}

}  // namespace crossbind::model
