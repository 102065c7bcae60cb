#include "model/model_toml.h"

#include <fmt/format.h>

#include "model/field_json.h"
#include "model/graph_json.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Strings, numbers, truth values and arrays are the same in JSON and TOML; objects become tables in
// one line.
std::string text_of(const OrderedJson& value) {
  if (!value.is_object()) {
    return value.dump();
  }
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, text_of(member));
  }
  return "{ " + text + " }";
}

// The fields that model files have and that a model keeps; what is null is left out.
template <typename Owner>
void add_file_fields(const Owner& owner, OrderedJson& table) {
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInFile && Field::kInGraph) {
      if (OrderedJson value = FieldJson<Owner>{owner}(field); !value.is_null()) {
        table[file_key(field)] = std::move(value);
      }
    }
  });
}

std::string layer_line(const Node& node, const OrderedJson& inputs) {
  OrderedJson layer = {{"name", node.name}, {"type", type_name(node.layer)}};
  std::visit([&](const auto& typed) { add_file_fields(typed, layer); }, node.layer);
  layer["from"] = inputs;
  return fmt::format("  {},\n", text_of(layer));
}

std::string input_line(const OrderedJson& input) {
  OrderedJson fields = {{"shape", input["shape"]}};
  if (input.contains("entries")) {
    fields["entries"] = input["entries"];
  }
  return fmt::format("{} = {}\n", input["name"].dump(), text_of(fields));
}

}  // namespace

std::string model_toml(const Model& model) {
  const OrderedJson graph = canonical_graph(model);
  std::string text;
  for (const char* key : {"id", "title", "dataset"}) {
    text += fmt::format("{} = {}\n", key, graph[key].dump());
  }
  text += fmt::format("loss = {}\ninit = \"fan_in_uniform\"\nbatch = {}\nlayers = [\n",
                      graph["loss"]["type"].dump(),
                      model.batch);
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    text += layer_line(model.nodes[i], graph["nodes"][i]["inputs"]);
  }
  text += "]\n\n[inputs]\n";
  for (const auto& input : graph["inputs"]) {
    text += input_line(input);
  }
  text += "\n[optimizer]\n";
  OrderedJson optimizer = {{"type", type_name(model.optimizer)}};
  std::visit([&](const auto& typed) { add_file_fields(typed, optimizer); }, model.optimizer);
  for (const auto& [key, value] : optimizer.items()) {
    text += fmt::format("{} = {}\n", key, text_of(value));
  }
  return text;
}

}  // namespace crossbind::model
