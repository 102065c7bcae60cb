#include "tasks/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "tasks/rules.h"

namespace crossbind::tasks {
namespace {

using trial::Capabilities;
using trial::kLoaders;
using trial::kMeasures;
using trial::kProbeLevels;
using trial::kTasks;
using trial::kTrainingAccuracies;
using trial::kVariants;
using trial::Loader;
using trial::Measure;
using trial::ProbeLevel;
using trial::Settings;
using trial::Task;
using trial::Variant;

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

// What no worker can do, though it may have each alone.
std::optional<std::string> missing_combination(const Settings& settings) {
  const std::string_view variant = name_in(kVariants, settings.variant);
  if (settings.measure == Measure::kParts && settings.variant != Variant::kStep) {
    return fmt::format("measure parts of variant {}", variant);
  }
  if (settings.variant == Variant::kGraph && settings.device == "cpu") {
    return fmt::format("variant {} on device cpu", variant);
  }
  if (settings.variant == Variant::kGraph && settings.loader != Loader::kResident) {
    return fmt::format("variant {} with loader {}", variant, name_in(kLoaders, settings.loader));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> missing_setting(const Capabilities& capabilities,
                                           Task task,
                                           const Settings& settings) {
  const Rules& rules = rules_of(task);
  if (!contains<Task>(capabilities.tasks, rules.claimed_as)) {
    return fmt::format("task {}", name_in<Task>(kTasks, rules.claimed_as));
  }
  if (capabilities.probe < rules.probe) {
    return fmt::format("probe {}", name_in<ProbeLevel>(kProbeLevels, rules.probe));
  }
  if (!contains(capabilities.devices, settings.device)) {
    return fmt::format("device {}", settings.device);
  }
  if (!contains(capabilities.loaders, settings.loader)) {
    return fmt::format("loader {}", name_in(kLoaders, settings.loader));
  }
  if (!contains(capabilities.variants, settings.variant)) {
    return fmt::format("variant {}", name_in(kVariants, settings.variant));
  }
  if (settings.variant == Variant::kSavedModel && !rules.has_saved_model) {
    return fmt::format("variant {} without a serialized model",
                       name_in(kVariants, settings.variant));
  }
  if (!contains(capabilities.measures, settings.measure)) {
    return fmt::format("measure {}", name_in(kMeasures, settings.measure));
  }
  if (auto missing = missing_combination(settings)) {
    return missing;
  }
  if (rules.scores_training &&
      !contains(capabilities.training_accuracies, settings.training_accuracy)) {
    return fmt::format("training accuracy {}",
                       name_in(kTrainingAccuracies, settings.training_accuracy));
  }
  return std::nullopt;
}

std::optional<std::string> missing_of_graph(const Capabilities& capabilities,
                                            const model::Model& model,
                                            bool takes_steps) {
  for (const std::string& type : model::layer_types(model)) {
    if (!contains(capabilities.layers, type)) {
      return fmt::format("layer {}", type);
    }
  }
  if (takes_steps) {
    if (const std::string loss(model::loss_type(model)); !contains(capabilities.losses, loss)) {
      return fmt::format("loss {}", loss);
    }
    if (const std::string optimizer(model::optimizer_type(model));
        !contains(capabilities.optimizers, optimizer)) {
      return fmt::format("optimizer {}", optimizer);
    }
  }
  for (const std::string& feature : model::features(model)) {
    if (contains(capabilities.lacks, feature)) {
      return feature;
    }
  }
  return std::nullopt;
}

// A serialized model brings its own layers: only what runs them matters then.
std::optional<std::string> missing_of_model(const Capabilities& capabilities,
                                            const model::Model& model,
                                            Task task) {
  const Rules& rules = rules_of(task);
  return rules.takes_file ? std::nullopt : missing_of_graph(capabilities, model, rules.takes_steps);
}

std::optional<std::string> missing_feature(const Capabilities& capabilities,
                                           const model::Model& model,
                                           Task task,
                                           const Settings& settings) {
  auto missing = missing_setting(capabilities, task, settings);
  return missing || is_serialized(task, settings.variant)
             ? missing
             : missing_of_model(capabilities, model, task);
}

}  // namespace crossbind::tasks
