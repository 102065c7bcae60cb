#include "trial/capabilities_reader.h"

#include <fmt/format.h>

#include <utility>

#include "model/names.h"

namespace crossbind::trial {
namespace {

template <size_t... Index>
std::vector<std::string> layer_words(std::index_sequence<Index...>) {
  return {std::string(model::type_name(model::Layer(std::in_place_index<Index>)))...};
}

std::vector<std::string> layer_words() {
  return layer_words(std::make_index_sequence<std::variant_size_v<model::Layer>>());
}

std::vector<std::string> loss_words() {
  std::vector<std::string> words;
  words.reserve(model::kLosses.size());
  for (const auto& loss : model::kLosses) {
    words.emplace_back(loss.name);
  }
  return words;
}

const std::vector<std::string>& optimizer_words() {
  static const std::vector<std::string> words = {"sgd", "adam"};
  return words;
}

// Whether a form ("gru.reset_after=false", "adam.epsilon_form", "weight_decay") is one of something
// that graphs have.
bool is_form(std::string_view form) {
  std::vector<std::string> types = layer_words();
  types.insert(types.end(), optimizer_words().begin(), optimizer_words().end());
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
  able.devices = reader.words("devices", {"cpu", "cuda"});
  able.loaders = reader.choices<Loader>("loaders", kLoaders);
  able.variants = reader.choices<Variant>("variants", kVariants);
  able.measures = reader.choices<Measure>("measures", kMeasures);
  able.training_accuracies =
      reader.choices<TrainingAccuracy>("training_accuracies", kTrainingAccuracies);
  able.layers = reader.words("layers", layer_words());
  able.losses = reader.words("losses", loss_words());
  able.optimizers = reader.words("optimizers", optimizer_words());
  if (reader.has("lacks")) {
    able.lacks = reader.strings("lacks", 0);
    if (!std::ranges::all_of(able.lacks, is_form)) {
      reader.complain("lacks", "forms like \"gru.reset_after=false\"");
    }
  }
  able.probe = reader.choice<ProbeLevel>("probe", kProbeLevels);
  able.saves = reader.boolean("saves");
  able.serializes = reader.has("serializes") && reader.boolean("serializes");
  const toml::table* conventions =
      reader.has("conventions") ? reader.table("conventions") : nullptr;
  CB_TRY(reader.finish());
  if (conventions != nullptr) {
    CB_ASSIGN(able.conventions, read_conventions(*conventions, document));
  }
  return able;
}

}  // namespace crossbind::trial
