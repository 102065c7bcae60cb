#include "model/features.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "model/graph_json.h"
#include "model/names.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::ordered_json;

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) {
    words.push_back(std::move(word));
  }
}

void add_forms(std::vector<std::string>& words, std::string_view type, const Json& fields) {
  for (const auto& [key, value] : fields.items()) {
    if (key == "type") {
      continue;
    }
    if (value.is_string()) {
      add_once(words, fmt::format("{}.{}={}", type, key, value.get<std::string>()));
    } else if (value.is_boolean() || key == "biases") {
      add_once(words, fmt::format("{}.{}={}", type, key, value.dump()));
    }
  }
}

template <size_t... Index>
std::vector<std::string> names_of_types(std::index_sequence<Index...> /*of the variant*/) {
  return {std::string(type_name(Layer(std::in_place_index<Index>)))...};
}

}  // namespace

std::vector<std::string> all_layer_types() {
  return names_of_types(std::make_index_sequence<std::variant_size_v<Layer>>());
}

std::vector<std::string> layer_types(const Model& model) {
  std::vector<std::string> types;
  for (const Node& node : model.nodes) {
    add_once(types, std::string(type_name(node.layer)));
  }
  return types;
}

std::string_view loss_type(const Model& model) {
  return name_in(kLosses, model.loss);
}

std::string_view optimizer_type(const Model& model) {
  return std::holds_alternative<Sgd>(model.optimizer) ? "sgd" : "adam";
}

std::vector<std::string> features(const Model& model) {
  const Json graph = canonical_graph(model);
  std::vector<std::string> words;
  for (const Json& node : graph["nodes"]) {
    add_forms(words, node["type"].get<std::string>(), node["fields"]);
  }
  const Json& optimizer = graph["optimizer"];
  add_forms(words, optimizer["type"].get<std::string>(), optimizer);
  if (optimizer.value("momentum", 0.0) != 0) {
    add_once(words, "sgd.momentum");
  }
  if (optimizer["weight_decay"]["value"].get<double>() != 0) {
    add_once(words, "weight_decay");
    add_forms(words, "weight_decay", optimizer["weight_decay"]);
  }
  return words;
}

}  // namespace crossbind::model
