#include "model/graph_json.h"

#include "model/field_json.h"
#include "model/losses.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson input_json(const Input& input) {
  OrderedJson json = {{"name", input.name},
                      {"type", input.is_integer() ? "integer" : "float"},
                      {"shape", input.shape}};
  if (input.is_integer()) {
    json["entries"] = input.entries;
  }
  return json;
}

OrderedJson fields_json(const Layer& layer) {
  OrderedJson fields = OrderedJson::object();
  std::visit([&](const auto& typed) { write_graph_fields(typed, fields); }, layer);
  return fields;
}

OrderedJson optimizer_json(const Optimizer& optimizer) {
  OrderedJson json = {{"type", type_name(optimizer)}};
  std::visit([&](const auto& typed) { write_graph_fields(typed, json); }, optimizer);
  return json;
}

OrderedJson node_json(const Model& model, const Node& node) {
  OrderedJson inputs = OrderedJson::array();
  for (const Source& source : node.inputs) {
    inputs.push_back(source.is_input ? model.inputs[source.index].name
                                     : model.nodes[source.index].name);
  }
  OrderedJson parameters = OrderedJson::array();
  for (const size_t index : node.parameters) {
    const Parameter& parameter = model.parameters[index];
    parameters.push_back({{"name", parameter.name},
                          {"shape", parameter.shape},
                          {"role", name_in(kRoles, parameter.role)},
                          {"trainable", is_trainable(parameter.role)}});
  }
  return {{"name", node.name},
          {"type", type_name(node.layer)},
          {"inputs", std::move(inputs)},
          {"output", node.output},
          {"fields", fields_json(node.layer)},
          {"parameters", std::move(parameters)}};
}

}  // namespace

OrderedJson canonical_graph(const Model& model) {
  OrderedJson inputs = OrderedJson::array();
  for (const auto& input : model.inputs) {
    inputs.push_back(input_json(input));
  }
  OrderedJson nodes = OrderedJson::array();
  for (const auto& node : model.nodes) {
    nodes.push_back(node_json(model, node));
  }
  return {{"version", kGraphVersion},
          {"id", model.id},
          {"title", model.title},
          {"dataset", model.dataset},
          {"batch", model.batch},
          {"inputs", std::move(inputs)},
          {"nodes", std::move(nodes)},
          {"loss", {{"type", name_in(kLosses, model.loss)}, {"reduction", kReduction}}},
          {"optimizer", optimizer_json(model.optimizer)}};
}

}  // namespace crossbind::model
