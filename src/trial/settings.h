// What one trial is told: the axes of a study and the settings of a run, with the words that study
// files, messages and the store share. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/named.h"
#include "trial/task.h"

namespace crossbind::trial {

enum class Loader {
  kIdiomatic,  // what a user of the binding writes
  kResident,   // slices of one loaded tensor: the binding without its loader
};

// How the binding is driven. They are never mixed in one comparison.
enum class Variant {
  kStep,        // step by step: the user writes the loop
  kFit,         // an epoch is one call
  kSavedModel,  // a step is one call of what the framework's serializing binding has written
  kGraph,       // a training step is recorded on the GPU once and replayed: needs resident data
};

enum class Measure {
  kTotal,  // one timer around an epoch, nothing inside
  kParts,  // load, forward and backward of every step, the device synchronised between
};

enum class TrainingAccuracy {
  kEval,     // over the whole training set, in evaluation mode, after the epoch
  kRunning,  // over the epoch's batches, before each update
};

enum class Evaluate { kEveryEpoch, kLast };  // when the test set is scored

enum class ProbeLevel { kNone, kOutputs, kLayers, kGradients };  // each includes those before

// What a worker answers to a query; each includes those before. Gradients are those of the inputs.
enum class Queries { kNone, kOutputs, kGradients };

inline constexpr std::array kLoaders = {
    Named<Loader>{"idiomatic", Loader::kIdiomatic},
    Named<Loader>{"resident", Loader::kResident},
};
inline constexpr std::array kVariants = {
    Named<Variant>{"step", Variant::kStep},
    Named<Variant>{"fit", Variant::kFit},
    Named<Variant>{"savedmodel", Variant::kSavedModel},
    Named<Variant>{"graph", Variant::kGraph},
};
inline constexpr std::array kMeasures = {
    Named<Measure>{"total", Measure::kTotal},
    Named<Measure>{"parts", Measure::kParts},
};
inline constexpr std::array kTrainingAccuracies = {
    Named<TrainingAccuracy>{"eval", TrainingAccuracy::kEval},
    Named<TrainingAccuracy>{"running", TrainingAccuracy::kRunning},
};
inline constexpr std::array kEvaluates = {
    Named<Evaluate>{"every_epoch", Evaluate::kEveryEpoch},
    Named<Evaluate>{"last", Evaluate::kLast},
};
inline constexpr std::array kProbeLevels = {
    Named<ProbeLevel>{"none", ProbeLevel::kNone},
    Named<ProbeLevel>{"outputs", ProbeLevel::kOutputs},
    Named<ProbeLevel>{"layers", ProbeLevel::kLayers},
    Named<ProbeLevel>{"gradients", ProbeLevel::kGradients},
};
inline constexpr std::array kQueries = {
    Named<Queries>{"none", Queries::kNone},
    Named<Queries>{"outputs", Queries::kOutputs},
    Named<Queries>{"gradients", Queries::kGradients},
};

// What a worker is told beside the graph, the weights and the data. The model's optimizer and loss
// are in the graph.
struct Settings {
  std::string device = "cpu";
  Loader loader = Loader::kResident;
  Variant variant = Variant::kStep;
  Measure measure = Measure::kTotal;
  uint32_t seed = 0;  // for what the framework draws itself: dropout masks
  int64_t epochs = 1;
  int64_t batch_size = 1;
  TrainingAccuracy training_accuracy = TrainingAccuracy::kRunning;
  Evaluate evaluate = Evaluate::kEveryEpoch;
  int64_t warmup_steps = 0;
  int threads = 1;

  bool operator==(const Settings&) const = default;
};

}  // namespace crossbind::trial
