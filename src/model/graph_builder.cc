#include "model/graph_builder.h"

#include <algorithm>

#include "base/text.h"
#include "model/parameters.h"
#include "model/shape_inference.h"

namespace crossbind::model {
namespace {

constexpr std::string_view kBlockInput = "@input";
constexpr std::string_view kCounter = "{i}";

std::string subject_of(const toml::table& table, std::string_view what, std::string_view prefix) {
  const auto* name = table.get_as<std::string>("name");
  return name == nullptr
             ? std::string(what)
             : fmt::format("{} '{}{}'", what, prefix, name->get().substr(0, kMaximumName));
}

std::string instance_name(std::string pattern, int64_t i) {
  if (const auto at = pattern.find(kCounter); at != std::string::npos) {
    pattern.replace(at, kCounter.size(), std::to_string(i));
  }
  return pattern;
}

}  // namespace

GraphBuilder::GraphBuilder(const config::Document& document, InitRule rule, Model& model)
    : document_(document),
      rule_(rule),
      model_(model) {
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    sources_.emplace(model.inputs[i].name, Source{.is_input = true, .index = i});
  }
}

Status GraphBuilder::add(const toml::array& layers) {
  return add_all(layers, BlockInstance{});
}

Status GraphBuilder::add_all(const toml::array& layers, const BlockInstance& around) {
  for (const auto& element : layers) {
    const auto* table = element.as_table();
    if (table == nullptr) {
      return tl::unexpected(Error{ErrorKind::kInvalid,
                                  "'layers' holds something that is no table, expected layers such "
                                  "as { name = \"relu1\", type = \"relu\" }",
                                  config::place_of(document_, element),
                                  {}});
    }
    CB_TRY(table->contains("layers") ? add_block(*table, around) : add_layer(*table, around));
  }
  return {};
}

Status GraphBuilder::add_block(const toml::table& table, const BlockInstance& around) {
  config::TableReader reader(table, subject_of(table, "block", around.prefix), document_);
  const std::string pattern = reader.text("name");
  const int64_t repeat = reader.has("repeat") ? reader.integer("repeat", 1) : 1;
  const toml::array* layers = reader.array("layers");
  if (!config::is_name(instance_name(pattern, 0))) {
    reader.complain("name", "letters, digits, '_' and '-' with dots between them, and {i} once");
  }
  if (repeat > 1 && pattern.find(kCounter) == std::string::npos) {
    reader.complain("name", "a name with {i} in it, because the block is repeated");
  }
  CB_TRY(reader.finish());
  if (around.depth == kMaximumNesting) {
    return tl::unexpected(
        reader.error(fmt::format("blocks nest deeper than {}, expected fewer", kMaximumNesting)));
  }
  for (int64_t i = 0; i < repeat; ++i) {
    const BlockInstance inner = {.outer = &around,
                                 .prefix = around.prefix + instance_name(pattern, i) + ".",
                                 .input = previous(),
                                 .depth = around.depth + 1};
    CB_TRY(add_all(*layers, inner));
  }
  return {};
}

Status GraphBuilder::add_layer(const toml::table& table, const BlockInstance& around) {
  config::TableReader reader(table, subject_of(table, "layer", around.prefix), document_);
  const std::string name = reader.name("name");
  const bool has_from = reader.has("from");
  const LayerSpec spec = read_layer(reader);
  if (has_from) {
    (void)reader.texts("from", 2);
  }
  CB_TRY(reader.finish());
  if (model_.nodes.size() == kMaximumLayers) {
    return tl::unexpected(reader.error(
        fmt::format("is one layer too many, expected at most {} in all", kMaximumLayers)));
  }
  Node node;
  CB_ASSIGN(node.inputs, sources_of(reader, around));
  CB_ASSIGN(node.name, claim_name(reader, around.prefix + name));
  CB_TRY(add_node(reader, spec, std::move(node)));
  places_.push_back(config::place_of(document_, table));
  return {};
}

Status GraphBuilder::add_node(config::TableReader& reader, LayerSpec spec, Node node) {
  std::vector<LayerInput> inputs;
  for (const Source& source : node.inputs) {
    if (source.is_input) {
      const Input& input = model_.inputs[source.index];
      inputs.push_back({input.shape, input.entries, true});
    } else {
      inputs.push_back({model_.nodes[source.index].output, 0, false});
    }
  }
  auto output = infer_shape(spec.layer, spec.same_pads, inputs);
  if (!output) {
    return tl::unexpected(reader.error(output.error().message));
  }
  node.output = std::move(*output);
  CB_TRY(add_parameters(reader, spec, node));
  node.layer = spec.layer;
  model_.nodes.push_back(std::move(node));
  return {};
}

Status GraphBuilder::add_parameters(const config::TableReader& reader,
                                    const LayerSpec& spec,
                                    Node& node) {
  const Initialisation initialisation = {spec.init.value_or(rule_), spec.forget_bias};
  for (auto& parameter : parameters_of(spec.layer, node.name, initialisation)) {
    const auto count = tensor::element_count(parameter.shape);
    if (!count || *count > kMaximumParameters - parameter_count_) {
      return tl::unexpected(
          reader.error(fmt::format("'{}' has the shape {}, expected at most 2^40 parameters in all",
                                   parameter.name,
                                   tensor::to_string(parameter.shape))));
    }
    parameter_count_ += *count;
    node.parameters.push_back(model_.parameters.size());
    model_.parameters.push_back(std::move(parameter));
  }
  return {};
}

Result<std::string> GraphBuilder::claim_name(const config::TableReader& reader, std::string name) {
  if (name.size() > kMaximumName) {
    return tl::unexpected(reader.error(
        fmt::format("'name' has {} characters, expected at most {}", name.size(), kMaximumName)));
  }
  const Source source = {.is_input = false, .index = model_.nodes.size()};
  if (!sources_.emplace(name, source).second) {
    return tl::unexpected(reader.error(fmt::format(
        "'name' is '{}', which an earlier layer or input has, expected another", name)));
  }
  return name;
}

std::optional<Source> GraphBuilder::previous() const {
  if (!model_.nodes.empty()) {
    return Source{.is_input = false, .index = model_.nodes.size() - 1};
  }
  if (model_.inputs.size() == 1) {
    return Source{.is_input = true, .index = 0};
  }
  return std::nullopt;
}

Result<std::vector<Source>> GraphBuilder::sources_of(config::TableReader& reader,
                                                     const BlockInstance& around) {
  std::vector<Source> sources;
  if (!reader.has("from")) {
    if (const auto source = previous()) {
      return std::vector{*source};
    }
    return tl::unexpected(
        reader.error("'from' is missing, expected it because the model has several inputs"));
  }
  for (const auto& name : reader.texts("from", 2)) {
    CB_ASSIGN(const Source source, find(reader, name, around));
    sources.push_back(source);
  }
  return sources;
}

Result<Source> GraphBuilder::find(const config::TableReader& reader,
                                  const std::string& name,
                                  const BlockInstance& around) const {
  if (name == kBlockInput) {
    if (around.input) {
      return *around.input;
    }
    return tl::unexpected(reader.error(
        "'from' is \"@input\", expected that only inside a block, with a layer or the model's only "
        "input before it"));
  }
  for (const BlockInstance* level = &around; level != nullptr; level = level->outer) {
    if (const auto found = sources_.find(level->prefix + name); found != sources_.end()) {
      return found->second;
    }
  }
  const std::string shown = name.substr(0, kMaximumName);
  std::vector<std::string> names;
  for (const auto& [known, unused] : sources_) {
    names.push_back(known.starts_with(around.prefix) ? known.substr(around.prefix.size()) : known);
  }
  Error error = reader.error(
      fmt::format("'from' is {:?}, expected the name of an earlier layer or of an input", shown));
  if (const std::string candidate = nearest(shown, names); !candidate.empty()) {
    error = std::move(error).with_hint(fmt::format("Did you mean '{}'?", candidate));
  }
  return tl::unexpected(std::move(error));
}

Status GraphBuilder::check_all_used() const {
  std::vector<bool> input_used(model_.inputs.size());
  std::vector<bool> node_used(model_.nodes.size());
  for (const auto& node : model_.nodes) {
    for (const Source& source : node.inputs) {
      (source.is_input ? input_used : node_used)[source.index] = true;
    }
  }
  for (size_t i = 0; i < input_used.size(); ++i) {
    if (!input_used[i]) {
      return fail(ErrorKind::kInvalid,
                  "input '{}' is read by no layer, expected one that names it in 'from'",
                  model_.inputs[i].name);
    }
  }
  for (size_t i = 0; i + 1 < node_used.size(); ++i) {
    if (!node_used[i]) {
      return tl::unexpected(
          Error{ErrorKind::kInvalid,
                fmt::format("layer '{}' is read by no other, expected that only of the last layer",
                            model_.nodes[i].name),
                places_[i],
                {}});
    }
  }
  return {};
}

}  // namespace crossbind::model
