#include "model/graph_json.h"

#include <nlohmann/json.hpp>

#include "model/names.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::ordered_json;

template <typename Window>
Json window_fields(const Window& window) {
  return {{"kernel", {window.kernel.height, window.kernel.width}},
          {"stride", {window.stride.height, window.stride.width}},
          {"pads", {window.pads.top, window.pads.left, window.pads.bottom, window.pads.right}}};
}

// A layer's own fields, by type; layers without any give an empty object.
struct FieldsOf {
  Json operator()(const Conv2d& conv) const {
    Json fields = {{"in_channels", conv.in_channels}, {"out_channels", conv.out_channels}};
    fields.update(window_fields(conv));
    fields["bias"] = conv.bias;
    return fields;
  }
  Json operator()(const MaxPool2d& pool) const { return window_fields(pool); }
  Json operator()(const AvgPool2d& pool) const {
    Json fields = window_fields(pool);
    fields["count_padding"] = pool.count_padding;
    return fields;
  }
  Json operator()(const Linear& linear) const {
    return {{"in_features", linear.in_features},
            {"out_features", linear.out_features},
            {"bias", linear.bias}};
  }
  Json operator()(const Gelu&) const { return {{"form", "erf"}}; }
  Json operator()(const BatchNorm& norm) const {
    return {{"features", norm.features},
            {"epsilon", norm.epsilon},
            {"momentum", norm.momentum},
            {"running_variance", name_in(kRunningVariances, norm.running_variance)}};
  }
  Json operator()(const LayerNorm& norm) const {
    return {{"features", norm.features}, {"epsilon", norm.epsilon}};
  }
  Json operator()(const Dropout& dropout) const { return {{"rate", dropout.rate}}; }
  Json operator()(const Embedding& embedding) const {
    return {{"kind", name_in(kEmbeddingKinds, embedding.kind)},
            {"entries", embedding.entries},
            {"width", embedding.width},
            {"padding_index",
             embedding.padding_index ? Json(*embedding.padding_index) : Json(nullptr)}};
  }
  Json operator()(const Lstm& lstm) const {
    return {{"in_features", lstm.in_features},
            {"hidden", lstm.hidden},
            {"gates", "ifgo"},
            {"biases", lstm.biases},
            {"recurrent_activation", name_in(kRecurrentActivations, lstm.recurrent_activation)}};
  }
  Json operator()(const Gru& gru) const {
    return {{"in_features", gru.in_features},
            {"hidden", gru.hidden},
            {"gates", "rzn"},
            {"biases", gru.biases},
            {"reset_after", gru.reset_after},
            {"recurrent_activation", name_in(kRecurrentActivations, gru.recurrent_activation)}};
  }
  Json operator()(const Pad& pad) const {
    return {{"pads", {pad.pads.top, pad.pads.left, pad.pads.bottom, pad.pads.right}},
            {"value", pad.value}};
  }
  Json operator()(const SelfAttention& attention) const {
    return {{"width", attention.width}, {"heads", attention.heads}, {"masked", attention.masked}};
  }
  template <typename Plain>
  Json operator()(const Plain&) const {
    return Json::object();
  }
};

Json decay_json(const WeightDecay& decay) {
  return {{"value", decay.value},
          {"form", name_in(kDecayForms, decay.form)},
          {"applies_to", name_in(kDecayTargets, decay.applies_to)}};
}

struct OptimizerJson {
  Json operator()(const Sgd& sgd) const {
    return {{"type", "sgd"},
            {"rate", sgd.rate},
            {"momentum", sgd.momentum},
            {"weight_decay", decay_json(sgd.weight_decay)}};
  }
  Json operator()(const Adam& adam) const {
    return {{"type", "adam"},
            {"rate", adam.rate},
            {"beta1", adam.beta1},
            {"beta2", adam.beta2},
            {"epsilon", adam.epsilon},
            {"epsilon_form", name_in(kEpsilonForms, adam.epsilon_form)},
            {"weight_decay", decay_json(adam.weight_decay)}};
  }
};

Json input_json(const Input& input) {
  Json json = {{"name", input.name},
               {"type", input.is_integer() ? "integer" : "float"},
               {"shape", input.shape}};
  if (input.is_integer()) {
    json["entries"] = input.entries;
  }
  return json;
}

Json node_json(const Model& model, const Node& node) {
  Json inputs = Json::array();
  for (const Source& source : node.inputs) {
    inputs.push_back(source.is_input ? model.inputs[source.index].name
                                     : model.nodes[source.index].name);
  }
  Json parameters = Json::array();
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
          {"fields", std::visit(FieldsOf{}, node.layer)},
          {"parameters", std::move(parameters)}};
}

}  // namespace

Json canonical_graph(const Model& model) {
  Json inputs = Json::array();
  for (const auto& input : model.inputs) {
    inputs.push_back(input_json(input));
  }
  Json nodes = Json::array();
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
          {"loss", {{"type", name_in(kLosses, model.loss)}, {"reduction", "mean"}}},
          {"optimizer", std::visit(OptimizerJson{}, model.optimizer)}};
}

}  // namespace crossbind::model
