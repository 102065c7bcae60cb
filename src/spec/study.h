// A study: a matrix of trials as a TOML file says it (docs/study-files.md), checked. Values only;
// which bindings there are, and what can run here, is for the plan to find out.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named.h"
#include "model/model.h"
#include "trial/settings.h"

namespace crossbind::spec {

// What trials differ in, by the names that `except` and --only use.
enum class Axis {
  kBinding,
  kModel,
  kDataset,
  kDevice,
  kTask,
  kLoader,
  kVariant,
  kMeasure,
  kWeights
};

inline constexpr std::array kAxes = {
    Named<Axis>{"binding", Axis::kBinding},
    Named<Axis>{"model", Axis::kModel},
    Named<Axis>{"dataset", Axis::kDataset},
    Named<Axis>{"device", Axis::kDevice},
    Named<Axis>{"task", Axis::kTask},
    Named<Axis>{"loader", Axis::kLoader},
    Named<Axis>{"variant", Axis::kVariant},
    Named<Axis>{"measure", Axis::kMeasure},
    Named<Axis>{"weights", Axis::kWeights},
};

template <typename T>
using PerAxis = std::array<T, kAxes.size()>;

// Trials that are no part of the study: those that match every pattern. An empty one holds for all.
struct Exception {
  PerAxis<std::string> patterns;
  std::string place;

  [[nodiscard]] const std::string& operator[](Axis axis) const {
    return patterns[static_cast<size_t>(axis)];
  }
};

struct ModelEntry {
  model::Model model;                    // with the study's data set, batch size and optimizer
  std::string label;                     // its id; the second entry of a model is called "lenet5#2"
  std::string place;                     // "file:line"
  std::optional<int64_t> train_samples;  // the first so many; nothing: all
  std::optional<int64_t> test_samples;
  std::vector<uint32_t> seeds;     // of the study's, those that it takes; none: all
  std::optional<int64_t> repeats;  // nothing: the study's
  // Only the time of so many steps is wanted: what they learn is neither scored nor kept.
  std::optional<int64_t> steps;
  // Whose parameters inference uses where the user supplies them, by name; empty: those of
  // [inference].
  std::string parameters;
  bool shuffle = true;  // the samples of an epoch
  int64_t epochs = 1;
  trial::TrainingAccuracy training_accuracy = trial::TrainingAccuracy::kRunning;
  trial::Evaluate evaluate = trial::Evaluate::kEveryEpoch;
};

// How trials run. The limits are those of one trial.
struct RunSettings {
  int threads = 1;
  int64_t warmup_steps = 2;
  std::chrono::seconds time_limit{3600};
  int64_t memory_limit_mib = 4096;
};

struct Study {
  std::string name;
  std::string title;
  std::string place;                  // the file
  std::vector<std::string> bindings;  // names and globs
  std::vector<Exception> exceptions;
  std::vector<uint32_t> seeds;
  std::vector<std::string> devices;
  std::vector<trial::Task> tasks;  // training first
  std::vector<trial::Loader> loaders;
  std::vector<trial::Variant> variants;
  std::vector<trial::Measure> measures;
  int64_t repeats = 1;
  uint32_t shuffle_seed = 0;
  // Bindings, names and globs, whose trained parameters are used; empty: the initial ones.
  std::vector<std::string> inference_weights;
  std::vector<std::string> cuts;  // what it leaves out of what it stands for, in the user's words
  RunSettings run;
  std::vector<ModelEntry> models;

  [[nodiscard]] int64_t repeats_of(const ModelEntry& entry) const {
    return entry.repeats.value_or(repeats);
  }
};

using FindModel = std::function<Result<model::Model>(const std::string& name, model::Geometry)>;

// Models as a study's file names them: by the id of one in the folder, or by a path relative to the
// file.
[[nodiscard]] FindModel models_beside(const std::filesystem::path& study_file,
                                      std::filesystem::path models_folder);

// Errors name file, line, key and what was expected.
[[nodiscard]] Result<Study> parse_study(std::string_view toml,
                                        const std::string& place,
                                        const FindModel& find_model);

// The file of a study: by id from the folder of those that come with crossbind, or, when the name
// ends in ".toml", the name itself.
[[nodiscard]] Result<std::filesystem::path> find_study(const std::string& name,
                                                       const std::filesystem::path& folder);

}  // namespace crossbind::spec
