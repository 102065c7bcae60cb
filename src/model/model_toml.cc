#include "model/model_toml.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "model/graph_json.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::ordered_json;

// Fields of the graph that follow from a layer's input or that model files do not have.
bool is_written(const std::string& type, const std::string& field, const Json& value) {
  constexpr std::array kInferred = {"in_channels", "in_features", "features", "gates", "masked"};
  return std::ranges::find(kInferred, field) == kInferred.end() && !value.is_null() &&
         !(type == "gelu" && field == "form") && !(type == "self_attention" && field == "width");
}

std::string key_of(const std::string& field) {
  return field == "out_channels" || field == "out_features" ? "out" : field;
}

// Strings, numbers, truth values and arrays are the same in JSON and TOML; objects become tables in
// one line.
std::string text_of(const Json& value) {
  if (!value.is_object()) {
    return value.dump();
  }
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, text_of(member));
  }
  return "{ " + text + " }";
}

std::string layer_line(const Json& node) {
  const auto type = node["type"].get<std::string>();
  Json layer = {{"name", node["name"]}, {"type", type}};
  for (const auto& [field, value] : node["fields"].items()) {
    if (is_written(type, field, value)) {
      layer[key_of(field)] = value;
    }
  }
  layer["from"] = node["inputs"];
  return fmt::format("  {},\n", text_of(layer));
}

std::string input_line(const Json& input) {
  Json fields = {{"shape", input["shape"]}};
  if (input.contains("entries")) {
    fields["entries"] = input["entries"];
  }
  return fmt::format("{} = {}\n", input["name"].dump(), text_of(fields));
}

}  // namespace

std::string model_toml(const Model& model) {
  const Json graph = canonical_graph(model);
  std::string text;
  for (const char* key : {"id", "title", "dataset"}) {
    text += fmt::format("{} = {}\n", key, graph[key].dump());
  }
  text += fmt::format("loss = {}\ninit = \"fan_in_uniform\"\nbatch = {}\nlayers = [\n",
                      graph["loss"]["type"].dump(),
                      model.batch);
  for (const auto& node : graph["nodes"]) {
    text += layer_line(node);
  }
  text += "]\n\n[inputs]\n";
  for (const auto& input : graph["inputs"]) {
    text += input_line(input);
  }
  text += "\n[optimizer]\n";
  for (const auto& [key, value] : graph["optimizer"].items()) {
    text += fmt::format("{} = {}\n", key, text_of(value));
  }
  return text;
}

}  // namespace crossbind::model
