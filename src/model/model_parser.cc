#include <algorithm>

#include "base/file.h"
#include "config/table_reader.h"
#include "model/graph_builder.h"
#include "model/losses.h"
#include "model/model.h"
#include "model/names.h"
#include "model/optimizer_reader.h"

namespace crossbind::model {
namespace {

constexpr size_t kMaximumInputRank = 3;

// [sizes], or the part of it that [conform.sizes] replaces.
Status read_sizes(const toml::table& table, bool may_define, config::Document& document) {
  const config::Document plain = {document.place,
                                  {}};  // sizes are numbers, not names of other sizes
  config::TableReader reader(table, may_define ? "[sizes]" : "[conform.sizes]", plain);
  std::vector<std::string> names;
  if (may_define) {
    for (const auto& [name, unused] : table) {
      names.emplace_back(name.str());
    }
  } else {
    for (const auto& [name, unused] : document.sizes) {
      names.push_back(name);
    }
  }
  for (const auto& name : names) {
    if (reader.has(name)) {
      document.sizes[name] = reader.integer(name, 1);
    }
  }
  return reader.finish();
}

// Applies the [conform] geometry, where there is one; at full size only checks it.
Status read_conform(const toml::table* table,
                    Geometry geometry,
                    config::Document& document,
                    Model& model) {
  if (table == nullptr) {
    return {};
  }
  config::Document narrowed = document;
  config::TableReader reader(*table, "[conform]", narrowed);
  const toml::table* sizes = reader.has("sizes") ? reader.table("sizes") : nullptr;
  if (sizes != nullptr) {
    CB_TRY(read_sizes(*sizes, false, narrowed));
  }
  const int64_t batch = reader.has("batch") ? reader.integer("batch", 1) : model.batch;
  CB_TRY(reader.finish());
  if (geometry == Geometry::kConform) {
    document = std::move(narrowed);
    model.batch = batch;
  }
  return {};
}

Status read_inputs(const toml::table& table, const config::Document& document, Model& model) {
  std::vector<std::pair<toml::source_position, Input>> inputs;
  for (const auto& [key, node] : table) {
    const std::string subject = fmt::format("input '{}'", key.str());
    const auto* fields = node.as_table();
    if (fields == nullptr || !config::is_name(key.str())) {
      return tl::unexpected(
          Error{ErrorKind::kInvalid,
                subject + ": expected a name and a table such as { shape = [1, 28, 28] }",
                config::place_of(document, node),
                {}});
    }
    config::TableReader reader(*fields, subject, document);
    Input input = {.name = std::string(key.str()),
                   .shape = reader.shape("shape", kMaximumInputRank)};
    input.entries = reader.has("entries") ? reader.integer("entries", 1) : 0;
    CB_TRY(reader.finish());
    if (!tensor::element_count(input.shape)) {
      return tl::unexpected(reader.error("'shape' has more than 2^63 elements, expected fewer"));
    }
    inputs.emplace_back(node.source().begin, std::move(input));
  }
  if (inputs.empty()) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                "[inputs] is empty, expected at least one input",
                                config::place_of(document, table),
                                {}});
  }
  // Inputs stay in the order in which they are written: toml++ sorts by name.
  std::ranges::sort(inputs, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [unused, input] : inputs) {
    model.inputs.push_back(std::move(input));
  }
  return {};
}

Status check_loss(const toml::table& root, const config::Document& document, const Model& model) {
  const Node& last = model.nodes.back();
  const LossDescription loss = describe(model.loss);
  if (loss.takes(last.output)) {
    return {};
  }
  return tl::unexpected(
      Error{ErrorKind::kInvalid,
            fmt::format("'loss' is \"{}\", expected an output of {}, but the last "
                        "layer, '{}', gives {}",
                        name_in(kLosses, model.loss),
                        loss.output,
                        last.name,
                        tensor::to_string(last.output)),
            config::place_of(document, *root.get("loss")),
            {}});
}

Status build_graph(const toml::array& layers,
                   const toml::table& inputs,
                   InitRule rule,
                   const config::Document& document,
                   Model& model) {
  GraphBuilder builder(document, rule, model);
  CB_TRY(builder.add(layers));
  if (auto used = builder.check_all_used(); !used) {
    return tl::unexpected(std::move(used).error().at(config::place_of(document, inputs)));
  }
  return {};
}

// Everything after the syntax.
Result<Model> read_model(const toml::table& root, const std::string& place, Geometry geometry) {
  config::Document document = {place, {}};
  Model model;
  config::TableReader reader(root, "", document);
  model.id = reader.name("id");
  model.title = reader.text("title");
  model.dataset = reader.name("dataset");
  model.loss = reader.choice<Loss>("loss", kLosses);
  const InitRule rule = reader.choice<InitRule>("init", kInitRules);
  const toml::table* sizes = reader.has("sizes") ? reader.table("sizes") : nullptr;
  const toml::table* conform = reader.has("conform") ? reader.table("conform") : nullptr;
  const toml::table* inputs = reader.table("inputs");
  const toml::table* optimizer = reader.table("optimizer");
  const toml::array* layers = reader.array("layers");
  if (sizes != nullptr) {
    CB_TRY(read_sizes(*sizes, true, document));
  }
  model.batch = reader.integer("batch", 1);
  CB_TRY(reader.finish());
  CB_TRY(read_conform(conform, geometry, document, model));
  CB_TRY(read_inputs(*inputs, document, model));
  CB_ASSIGN(model.optimizer, read_optimizer(*optimizer, document));
  CB_TRY(build_graph(*layers, *inputs, rule, document, model));
  CB_TRY(check_loss(root, document, model));
  return model;
}

}  // namespace

Result<Model> parse_model(std::string_view toml, const std::string& place, Geometry geometry) {
  CB_ASSIGN(const toml::table root, config::parse(toml, place));
  return read_model(root, place, geometry);
}

Result<Model> load_model(const std::filesystem::path& path, Geometry geometry) {
  CB_ASSIGN(const std::string text, read_file(path));
  return parse_model(text, path.string(), geometry);
}

}  // namespace crossbind::model
