#include "model/graph_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/graph_json.h"
#include "model/names.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::json;

// What the graph lacks or has too much of; caught in read_graph, beside nlohmann's own exceptions.
struct GraphError {
  ErrorKind kind;
  std::string message;
};

template <typename T, size_t N>
T word(const Json& fields, const char* key, const std::array<Named<T>, N>& names) {
  const auto name = fields.at(key).get<std::string>();
  const auto value = value_in(names, name);
  if (!value) {
    throw GraphError{ErrorKind::kUnsupported, fmt::format("{}={}", key, name)};
  }
  return *value;
}

Pair pair(const Json& fields, const char* key) {
  const Json& array = fields.at(key);
  return {array.at(0).get<int64_t>(), array.at(1).get<int64_t>()};
}

Pads pads(const Json& fields) {
  const Json& array = fields.at("pads");
  return {array.at(0).get<int64_t>(),
          array.at(1).get<int64_t>(),
          array.at(2).get<int64_t>(),
          array.at(3).get<int64_t>()};
}

int64_t integer(const Json& fields, const char* key) {
  return fields.at(key).get<int64_t>();
}

// Reads a layer's fields into a layer of its type; layers without fields need nothing.
struct ReadFields {
  const Json& fields;

  void operator()(Conv2d& conv) const {
    conv = {integer(fields, "in_channels"),
            integer(fields, "out_channels"),
            pair(fields, "kernel"),
            pair(fields, "stride"),
            pads(fields),
            fields.at("bias").get<bool>()};
  }
  void operator()(MaxPool2d& pool) const {
    pool = {pair(fields, "kernel"), pair(fields, "stride"), pads(fields)};
  }
  void operator()(AvgPool2d& pool) const {
    pool = {pair(fields, "kernel"),
            pair(fields, "stride"),
            pads(fields),
            fields.at("count_padding").get<bool>()};
  }
  void operator()(Linear& linear) const {
    linear = {integer(fields, "in_features"),
              integer(fields, "out_features"),
              fields.at("bias").get<bool>()};
  }
  void operator()(BatchNorm& norm) const {
    norm = {integer(fields, "features"),
            fields.at("epsilon").get<double>(),
            fields.at("momentum").get<double>(),
            word(fields, "running_variance", kRunningVariances)};
  }
  void operator()(LayerNorm& norm) const {
    norm = {integer(fields, "features"), fields.at("epsilon").get<double>()};
  }
  void operator()(Dropout& dropout) const { dropout.rate = fields.at("rate").get<double>(); }
  void operator()(Embedding& embedding) const {
    embedding = {word(fields, "kind", kEmbeddingKinds),
                 integer(fields, "entries"),
                 integer(fields, "width"),
                 std::nullopt};
    if (!fields.at("padding_index").is_null()) {
      embedding.padding_index = integer(fields, "padding_index");
    }
  }
  void operator()(Lstm& lstm) const {
    lstm = {integer(fields, "in_features"),
            integer(fields, "hidden"),
            fields.at("biases").get<int>(),
            word(fields, "recurrent_activation", kRecurrentActivations)};
  }
  void operator()(Gru& gru) const {
    gru = {integer(fields, "in_features"),
           integer(fields, "hidden"),
           fields.at("biases").get<int>(),
           fields.at("reset_after").get<bool>(),
           word(fields, "recurrent_activation", kRecurrentActivations)};
  }
  void operator()(Pad& pad) const { pad = {pads(fields), fields.at("value").get<double>()}; }
  void operator()(SelfAttention& attention) const {
    attention = {
        integer(fields, "width"), integer(fields, "heads"), fields.at("masked").get<bool>()};
  }
  template <typename Plain>
  void operator()(Plain&) const {}
};

// A layer of the type with this name, its fields at their defaults.
template <size_t Index = 0>
Layer layer_of_type(const std::string& type) {
  if constexpr (Index < std::variant_size_v<Layer>) {
    Layer layer(std::in_place_index<Index>);
    return type_name(layer) == type ? layer : layer_of_type<Index + 1>(type);
  } else {
    throw GraphError{ErrorKind::kUnsupported, fmt::format("layer {}", type)};
  }
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
  node.layer = layer_of_type(json.at("type").get<std::string>());
  std::visit(ReadFields{json.at("fields")}, node.layer);
  node.output = json.at("output").get<Shape>();
  for (const Json& input : json.at("inputs")) {
    node.inputs.push_back(find_source(model, input.get<std::string>()));
  }
  for (const Json& parameter : json.at("parameters")) {
    node.parameters.push_back(model.parameters.size());
    model.parameters.push_back({parameter.at("name").get<std::string>(),
                                parameter.at("shape").get<Shape>(),
                                word(parameter, "role", kRoles),
                                {}});
  }
  model.nodes.push_back(std::move(node));
}

Optimizer optimizer_of(const Json& json) {
  const Json& decay_json = json.at("weight_decay");
  const WeightDecay decay = {decay_json.at("value").get<double>(),
                             word(decay_json, "form", kDecayForms),
                             word(decay_json, "applies_to", kDecayTargets)};
  const auto type = json.at("type").get<std::string>();
  const auto number = [&](const char* key) { return json.at(key).get<double>(); };
  if (type == "sgd") {
    return Sgd{number("rate"), number("momentum"), decay};
  }
  if (type == "adam") {
    return Adam{.rate = number("rate"),
                .beta1 = number("beta1"),
                .beta2 = number("beta2"),
                .epsilon = number("epsilon"),
                .epsilon_form = word(json, "epsilon_form", kEpsilonForms),
                .weight_decay = decay};
  }
  throw GraphError{ErrorKind::kUnsupported, fmt::format("optimizer {}", type)};
}

Loss loss_of(const Json& json) {
  const auto type = json.at("type").get<std::string>();
  const auto loss = value_in(kLosses, type);
  if (!loss) {
    throw GraphError{ErrorKind::kUnsupported, fmt::format("loss {}", type)};
  }
  return *loss;
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
  model.loss = loss_of(json.at("loss"));
  model.optimizer = optimizer_of(json.at("optimizer"));
  return model;
}

}  // namespace

Result<Model> read_graph(std::string_view json) {
  try {
    return model_of(Json::parse(json));
  } catch (const GraphError& error) {
    return tl::unexpected(Error{error.kind, error.message, "graph", {}});
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::kInvalid, "the graph is not as documented: {}", error.what());
  }
}

}  // namespace crossbind::model
