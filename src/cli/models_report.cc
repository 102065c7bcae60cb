#include "cli/models_report.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "model/graph_json.h"

namespace crossbind::cli {
namespace {

using Json = nlohmann::ordered_json;
using model::Model;

std::string inputs_text(const Model& model) {
  std::vector<std::string> inputs;
  for (const auto& input : model.inputs) {
    inputs.push_back(fmt::format("{} {}", input.name, tensor::to_string(input.shape)));
  }
  return fmt::format("{}", fmt::join(inputs, ", "));
}

Json summary(const Model& model) {
  Json inputs = Json::array();
  for (const auto& input : model.inputs) {
    inputs.push_back({{"name", input.name},
                      {"shape", input.shape},
                      {"entries", input.is_integer() ? Json(input.entries) : Json(nullptr)}});
  }
  return {{"id", model.id},
          {"title", model.title},
          {"layers", model.nodes.size()},
          {"parameters", model.parameter_count()},
          {"trainable", model.trainable_count()},
          {"inputs", std::move(inputs)},
          {"dataset", model.dataset},
          {"batch", model.batch}};
}

int64_t parameters_of(const Model& model, const model::Node& node) {
  int64_t count = 0;
  for (const size_t index : node.parameters) {
    count += tensor::element_count(model.parameters[index].shape).value_or(0);
  }
  return count;
}

std::string sources_text(const Model& model, const model::Node& node) {
  std::vector<std::string> names;
  for (const auto& source : node.inputs) {
    names.push_back(source.is_input ? model.inputs[source.index].name
                                    : model.nodes[source.index].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string counts_text(const Model& model) {
  return fmt::format("{} {}, {} parameters, {} trainable, batch {}",
                     model.nodes.size(),
                     plural(model.nodes.size(), "layer", "layers"),
                     with_thousands(model.parameter_count()),
                     with_thousands(model.trainable_count()),
                     model.batch);
}

}  // namespace

std::string models_table(const std::vector<Model>& models) {
  TextTable table({{"MODEL"},
                   {"LAYERS", Align::kRight},
                   {"PARAMETERS", Align::kRight},
                   {"TRAINABLE", Align::kRight},
                   {"DATA SET"},
                   {"INPUT"}});
  for (const auto& model : models) {
    table.add({model.id,
               std::to_string(model.nodes.size()),
               with_thousands(model.parameter_count()),
               with_thousands(model.trainable_count()),
               model.dataset,
               inputs_text(model)});
  }
  return table.to_string();
}

std::string models_json(const std::vector<Model>& models) {
  Json list = Json::array();
  for (const auto& model : models) {
    list.push_back(summary(model));
  }
  return json_text(list);
}

std::string model_text(const Model& model) {
  TextTable table({{"LAYER"}, {"TYPE"}, {"OUTPUT"}, {"PARAMETERS", Align::kRight}, {"FROM"}});
  for (const auto& node : model.nodes) {
    const int64_t count = parameters_of(model, node);
    table.add({node.name,
               std::string(model::type_name(node.layer)),
               tensor::to_string(node.output),
               count == 0 ? "-" : with_thousands(count),
               sources_text(model, node)});
  }
  return fmt::format("{}: {}\ninput {}; data set {}\n\n{}\n{}\n",
                     model.id,
                     model.title,
                     inputs_text(model),
                     model.dataset,
                     table.to_string(),
                     counts_text(model));
}

std::string model_json(const Model& model) {
  return json_text(model::canonical_graph(model));
}

const Error* ModelCheck::error() const {
  if (!full) {
    return &full.error();
  }
  return conform ? nullptr : &conform.error();
}

std::string check_text(const ModelCheck& check) {
  return fmt::format("{}: a model\n  full     {}\n  conform  {}\n",
                     check.file,
                     counts_text(*check.full),
                     counts_text(*check.conform));
}

std::string check_json(const ModelCheck& check) {
  Json json = {{"file", check.file}, {"ok", check.error() == nullptr}};
  if (const Error* error = check.error()) {
    json["error"] = {{"where", error->where}, {"message", error->message}, {"hint", error->hint}};
  } else {
    json["full"] = summary(*check.full);
    json["conform"] = summary(*check.conform);
  }
  return json_text(json);
}

}  // namespace crossbind::cli
