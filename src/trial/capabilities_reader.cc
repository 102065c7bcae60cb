#include "trial/capabilities_reader.h"

#include <fmt/format.h>

#include <utility>

#include "model/features.h"
#include "trial/device.h"

namespace crossbind::trial {
namespace {

// Whether a form ("gru.reset_after=false", "adam.epsilon_form", "weight_decay") is one of something
// that graphs have.
bool is_form(std::string_view form) {
  std::vector<std::string> types = model::all_layer_types();
  std::ranges::move(model::all_optimizer_types(), std::back_inserter(types));
  types.emplace_back("weight_decay");
  return std::ranges::find(types, form.substr(0, form.find('.'))) != types.end();
}

Result<std::map<std::string, std::string, std::less<>>> read_conventions(
    const toml::table& table, const config::Document& document) {
  config::TableReader reader(table, "[capabilities.conventions]", document);
  std::map<std::string, std::string, std::less<>> conventions;
  for (const auto& [key, unused] : table) {
    if (!is_form(key.str()) || key.str().find('.') == std::string_view::npos) {
      reader.complain(key.str(), "a key TYPE.FIELD, in quotes, like \"adam.epsilon_form\"");
    }
    conventions.emplace(key.str(), reader.text(key.str()));
  }
  CB_TRY(reader.finish());
  return conventions;
}

}  // namespace

Result<Capabilities> read_capabilities(const toml::table& table, const config::Document& document) {
  config::TableReader reader(table, "[capabilities]", document);
  Capabilities able;
  able.tasks = reader.choices<Task>("tasks", kWorkerTasks);
  able.devices = reader.words("devices", all_devices());
  able.loaders = reader.choices<Loader>("loaders", kLoaders);
  able.variants = reader.choices<Variant>("variants", kVariants);
  able.measures = reader.choices<Measure>("measures", kMeasures);
  able.training_accuracies =
      reader.choices<TrainingAccuracy>("training_accuracies", kTrainingAccuracies);
  able.layers = reader.words("layers", model::all_layer_types());
  able.losses = reader.words("losses", model::all_loss_types());
  able.optimizers = reader.words("optimizers", model::all_optimizer_types());
  if (reader.has("lacks")) {
    able.lacks = reader.strings("lacks", 0);
    if (!std::ranges::all_of(able.lacks, is_form)) {
      reader.complain("lacks", "forms like \"gru.reset_after=false\"");
    }
  }
  able.probe = reader.choice<ProbeLevel>("probe", kProbeLevels);
  able.saves = reader.boolean("saves");
  if (reader.has("queries")) {
    able.queries = reader.choice<Queries>("queries", kQueries);
  }
  if (reader.has("reads")) {
    able.reads = reader.choices<Format>("reads", kFormats);
  }
  if (reader.has("writes")) {
    able.writes = reader.choices<Format>("writes", kFormats);
  }
  if (able.reads.empty() &&
      std::ranges::find(able.tasks, Task::kInferSerialization) != able.tasks.end()) {
    reader.complain("reads", "a format that it infers from, like [\"torchscript\"]");
  }
  const toml::table* conventions =
      reader.has("conventions") ? reader.table("conventions") : nullptr;
  CB_TRY(reader.finish());
  if (conventions != nullptr) {
    CB_ASSIGN(able.conventions, read_conventions(*conventions, document));
  }
  return able;
}

}  // namespace crossbind::trial
