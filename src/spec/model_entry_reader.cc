#include "spec/model_entry_reader.h"

#include <algorithm>
#include <map>

#include "data/dataset.h"
#include "model/losses.h"
#include "model/optimizer_reader.h"
#include "spec/axis_reader.h"

namespace crossbind::spec {
namespace {

using config::TableReader;
using model::Geometry;

constexpr std::array kGeometries = {
    Named<Geometry>{"full", Geometry::kFull},
    Named<Geometry>{"conform", Geometry::kConform},
};

constexpr std::string_view kClasses = "classes";
constexpr std::string_view kSpans = "spans";

std::optional<int64_t> optional_integer(TableReader& reader, std::string_view key) {
  return reader.has(key) ? std::optional(reader.integer(key, 1)) : std::nullopt;
}

template <typename T, size_t N>
std::optional<T> optional_choice(TableReader& reader,
                                 std::string_view key,
                                 const std::array<Named<T>, N>& names) {
  return reader.has(key) ? std::optional(reader.choice<T>(key, names)) : std::nullopt;
}

template <typename T>
std::optional<T> either(const std::optional<T>& first, const std::optional<T>& second) {
  return first ? first : second;
}

// What a data set must be labelled with.
std::string_view labels_for(model::Loss loss) {
  switch (loss) {
    case model::Loss::kCrossEntropy:
    case model::Loss::kBinaryCrossEntropy:
      return kClasses;
    case model::Loss::kSpanCrossEntropy:
      return kSpans;
  }
  return {};
}

// What of a data set the model cannot take; empty when it fits.
std::string misfit(const data::DatasetInfo& info, const model::Model& model) {
  for (const auto& input : model.inputs) {
    if (input.shape != info.input) {
      return fmt::format("has samples of {}, the model's input '{}' takes {}",
                         tensor::to_string(info.input),
                         input.name,
                         tensor::to_string(input.shape));
    }
  }
  const std::string_view labels = info.classes == 0 ? kSpans : kClasses;
  if (const auto wanted = labels_for(model.loss); labels != wanted) {
    return fmt::format("is labelled with {}, the model's loss wants {}", labels, wanted);
  }
  const int64_t classes = model::class_count(model);
  if (classes < info.classes) {
    return fmt::format("has {} classes, the model {}", info.classes, classes);
  }
  return {};
}

// The second entry of a model is called "lenet5#2".
void add_labels(std::vector<ModelEntry>& entries) {
  std::map<std::string, int> seen;
  for (auto& entry : entries) {
    const int number = ++seen[entry.model.id];
    entry.label = number == 1 ? entry.model.id : fmt::format("{}#{}", entry.model.id, number);
  }
}

}  // namespace

Result<TrainingKeys> ModelEntryReader::training(const toml::table& table) const {
  TableReader reader(table, "[training]", document_);
  CB_ASSIGN(TrainingKeys keys, this->keys(table, reader));
  CB_TRY(reader.finish());
  return keys;
}

Result<TrainingKeys> ModelEntryReader::keys(const toml::table& table, TableReader& reader) const {
  TrainingKeys keys = {
      .epochs = optional_integer(reader, "epochs"),
      .batch_size = optional_integer(reader, "batch_size"),
      .training_accuracy = optional_choice(reader, "training_accuracy", trial::kTrainingAccuracies),
      .evaluate = optional_choice(reader, "evaluate", trial::kEvaluates),
      .shuffle = reader.has("shuffle") ? std::optional(reader.boolean("shuffle")) : std::nullopt,
      .optimizer = {}};
  const toml::table* optimizer = reader.has("optimizer") ? reader.table("optimizer") : nullptr;
  for (const std::string_view key :
       {"epochs", "training_accuracy", "evaluate", "shuffle", "optimizer"}) {
    if (!trains_ && table.contains(key)) {
      return tl::unexpected(error_at(document_,
                                     *table.get(key),
                                     fmt::format("'{}' concerns training, which is none of the "
                                                 "study's tasks",
                                                 key),
                                     fmt::format("Remove it, or add \"{}\" to 'tasks'.",
                                                 name_in(trial::kTasks, trial::Task::kTrain))));
    }
  }
  if (optimizer != nullptr) {
    CB_ASSIGN(keys.optimizer, model::read_optimizer(*optimizer, document_));
  }
  return keys;
}

Result<std::vector<ModelEntry>> ModelEntryReader::entries(const toml::array& array,
                                                          const TrainingKeys& defaults) const {
  std::vector<ModelEntry> entries;
  for (const auto& node : array) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      return tl::unexpected(error_at(document_, node, "'models' holds something that is no table"));
    }
    CB_ASSIGN(auto entry, this->entry(*table, defaults));
    entries.push_back(std::move(entry));
  }
  add_labels(entries);
  return entries;
}

Result<ModelEntry> ModelEntryReader::entry(const toml::table& table,
                                           const TrainingKeys& defaults) const {
  TableReader reader(
      table,
      fmt::format("model '{}'", table["model"].value<std::string_view>().value_or("?")),
      document_);
  const std::string name = reader.text("model");
  const std::string dataset = reader.has("dataset") ? reader.name("dataset") : "";
  const Geometry geometry =
      optional_choice(reader, "geometry", kGeometries).value_or(Geometry::kFull);
  ModelEntry entry;
  entry.place = config::place_of(document_, table);
  CB_TRY(read_own(table, reader, entry));
  CB_ASSIGN(const TrainingKeys own, keys(table, reader));
  CB_TRY(reader.finish());

  auto found = find_model_(name, geometry);
  if (!found) {
    return tl::unexpected(
        std::move(found).error().at(config::place_of(document_, *table.get("model"))));
  }
  entry.model = std::move(*found);
  entry.model.dataset = dataset.empty() ? entry.model.dataset : dataset;
  entry.model.batch = either(own.batch_size, defaults.batch_size).value_or(entry.model.batch);
  entry.model.optimizer = either(own.optimizer, defaults.optimizer).value_or(entry.model.optimizer);
  const auto epochs = either(own.epochs, defaults.epochs);
  if (trains_ && !epochs && !entry.steps) {
    return tl::unexpected(reader.error("'epochs' is missing, expected it here or in [training]"));
  }
  entry.epochs = epochs.value_or(entry.epochs);
  entry.training_accuracy =
      either(own.training_accuracy, defaults.training_accuracy).value_or(entry.training_accuracy);
  entry.evaluate = either(own.evaluate, defaults.evaluate).value_or(entry.evaluate);
  entry.shuffle = either(own.shuffle, defaults.shuffle).value_or(entry.shuffle);
  CB_TRY(limit_to_steps(table, entry));
  CB_TRY(check_data(table, entry));
  return entry;
}

Status ModelEntryReader::read_own(const toml::table& table,
                                  TableReader& reader,
                                  ModelEntry& entry) const {
  entry.train_samples = optional_integer(reader, "train_samples");
  entry.test_samples = optional_integer(reader, "test_samples");
  entry.repeats = optional_integer(reader, "repeats");
  entry.steps = optional_integer(reader, "steps");
  entry.parameters = reader.has("parameters") ? reader.name("parameters") : "";
  if (reader.has("seeds")) {
    CB_ASSIGN(entry.seeds, AxisReader(table, document_).seeds("seeds"));
  }
  return {};
}

// A training of so many batches, and nothing that makes its score worth keeping.
Status ModelEntryReader::limit_to_steps(const toml::table& table, ModelEntry& entry) const {
  if (!entry.steps) {
    return {};
  }
  for (const std::string_view key :
       {"epochs", "train_samples", "test_samples", "training_accuracy", "evaluate"}) {
    if (table.contains(key)) {
      return tl::unexpected(error_at(
          document_,
          *table.get(key),
          fmt::format(
              "model '{}': '{}' beside 'steps', which says it already", entry.model.id, key),
          "Remove one of them."));
    }
  }
  entry.train_samples = entry.test_samples = *entry.steps * entry.model.batch;
  entry.epochs = 1;
  entry.training_accuracy = trial::TrainingAccuracy::kRunning;
  entry.evaluate = trial::Evaluate::kLast;
  return {};
}

Status ModelEntryReader::check_data(const toml::table& table, const ModelEntry& entry) const {
  const auto place_of = [&](std::string_view key) {
    const toml::node* node = table.get(key);
    return config::place_of(document_, node == nullptr ? table : *node);
  };
  auto info = data::find_dataset(entry.model.dataset);
  if (!info) {
    return tl::unexpected(std::move(info).error().at(place_of("dataset")));
  }
  if (const std::string reason = misfit(*info, entry.model); !reason.empty()) {
    return tl::unexpected(
        Error{ErrorKind::kInvalid,
              fmt::format("model '{}': data set '{}' {}", entry.model.id, info->id, reason),
              place_of("dataset"),
              {}});
  }
  const auto check = [&](std::string_view key, std::optional<int64_t> asked, int64_t there) {
    if (asked && there > 0 && *asked > there) {
      return Status(tl::unexpected(Error{ErrorKind::kInvalid,
                                         fmt::format("model '{}': '{}' {} {}, data set '{}' has {}",
                                                     entry.model.id,
                                                     entry.steps ? "steps" : key,
                                                     entry.steps ? "needs" : "is",
                                                     *asked,
                                                     info->id,
                                                     there),
                                         place_of(key),
                                         {}}));
    }
    return Status();
  };
  CB_TRY(check("train_samples", entry.train_samples, info->train));
  return check("test_samples", entry.test_samples, info->test);
}

}  // namespace crossbind::spec
