#include "trial/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/features.h"

namespace crossbind::trial {
namespace {

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

template <typename T>
T preferred(const std::vector<T>& claimed, const T& favourite) {
  return claimed.empty() || std::ranges::find(claimed, favourite) != claimed.end()
             ? favourite
             : claimed.front();
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

Settings plain_settings(const Capabilities& able) {
  Settings settings;
  settings.device = preferred(able.devices, std::string("cpu"));
  settings.loader = preferred(able.loaders, Loader::kResident);
  settings.variant = preferred(able.variants, Variant::kStep);
  settings.measure = preferred(able.measures, Measure::kTotal);
  settings.training_accuracy = preferred(able.training_accuracies, TrainingAccuracy::kRunning);
  return settings;
}

std::optional<std::string> missing_setting(const Capabilities& capabilities,
                                           Task task,
                                           const Settings& settings) {
  if (const Task needed = task == Task::kJudge ? Task::kTrain : task;
      !contains(capabilities.tasks, needed)) {
    return fmt::format("task {}", name_in(kTasks, needed));
  }
  if (task == Task::kJudge && capabilities.probe < ProbeLevel::kGradients) {
    return "probe gradients";
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
  if (task == Task::kInferParameters && settings.variant == Variant::kSavedModel) {
    return "variant savedmodel without a serialized model";
  }
  if (!contains(capabilities.measures, settings.measure)) {
    return fmt::format("measure {}", name_in(kMeasures, settings.measure));
  }
  if (auto missing = missing_combination(settings)) {
    return missing;
  }
  if (task == Task::kTrain &&
      !contains(capabilities.training_accuracies, settings.training_accuracy)) {
    return fmt::format("training accuracy {}",
                       name_in(kTrainingAccuracies, settings.training_accuracy));
  }
  return std::nullopt;
}

// A serialized model brings its own layers: only what runs them matters then.
std::optional<std::string> missing_of_model(const Capabilities& capabilities,
                                            const model::Model& model,
                                            Task task) {
  if (task == Task::kInferSerialization) {
    return std::nullopt;
  }
  for (const std::string& type : model::layer_types(model)) {
    if (!contains(capabilities.layers, type)) {
      return fmt::format("layer {}", type);
    }
  }
  if (task == Task::kTrain || task == Task::kJudge) {
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

std::optional<std::string> missing_feature(const Capabilities& capabilities,
                                           const model::Model& model,
                                           Task task,
                                           const Settings& settings) {
  auto missing = missing_setting(capabilities, task, settings);
  return missing || is_serialized(task, settings.variant)
             ? missing
             : missing_of_model(capabilities, model, task);
}

}  // namespace crossbind::trial
