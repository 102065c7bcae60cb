// What a worker is given to do: a small model made of what it claims, with generated weights, data
// and batch order; and what the referee makes of the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "protocol/messages.h"
#include "referee/training.h"
#include "tensor/safetensors.h"
#include "trial/capabilities.h"

namespace crossbind::checkup {

inline constexpr int64_t kTrainSamples = 50;
inline constexpr int64_t kTestSamples = 20;
inline constexpr int64_t kBatch = 8;  // divides neither: every epoch ends with a shorter batch
inline constexpr int64_t kEpochs = 2;
inline constexpr int64_t kSteps = (kTrainSamples + kBatch - 1) / kBatch;
inline constexpr int64_t kTestSteps = (kTestSamples + kBatch - 1) / kBatch;
inline constexpr int64_t kManyEpochs = 2000;  // for trainings that are interrupted

// One of each kind that the worker claims, the common one where there is a choice.
[[nodiscard]] trial::Settings exercise_settings(const trial::Capabilities& able);

// The smallest ready model, at its [conform] geometry, that the worker can train (or infer with, if
// it does not train), that draws nothing and asks for no convention that the worker lacks; a single
// linear layer where there is none. The error says what it would have to claim.
[[nodiscard]] Result<model::Model> choose_model(const trial::Capabilities& able,
                                                const std::filesystem::path& models);

struct Samples {
  int64_t train = kTrainSamples;
  int64_t test = kTestSamples;
};

class Exercise {
 public:
  // Writes its files into the folder. Seed, epochs and batch size are those of the settings.
  [[nodiscard]] static Result<Exercise> make(model::Model model,
                                             trial::Settings settings,
                                             const std::filesystem::path& folder,
                                             const Samples& samples = {});

  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] const trial::Settings& settings() const { return settings_; }
  [[nodiscard]] const Samples& samples() const { return samples_; }

  [[nodiscard]] protocol::Prepare prepare() const { return prepare(settings_); }
  [[nodiscard]] protocol::Prepare prepare(const trial::Settings& settings) const;
  [[nodiscard]] protocol::Prepare prepare(const trial::Settings& settings,
                                          const std::filesystem::path& scratch) const;
  // A training that does not end while it is watched; its order must have been saved.
  [[nodiscard]] Status save_long_order() const;
  [[nodiscard]] protocol::Prepare prepare_long() const;

  // From now on the model comes as this file instead of as weights.
  void use_serialized(std::filesystem::path path, trial::Format format) {
    serialized_ = std::move(path);
    format_ = format;
  }
  [[nodiscard]] bool is_serialized() const { return serialized_.has_value(); }

  // A path for a file of this name in the exercise's folder.
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] const tensor::SafetensorsFile& data() const { return data_; }
  // The batches of epoch 1 and following.
  [[nodiscard]] const std::vector<referee::BatchOrder>& order() const { return order_; }

 private:
  Exercise(model::Model model,
           trial::Settings settings,
           std::filesystem::path folder,
           const Samples& samples,
           tensor::SafetensorsFile data);

  model::Model model_;
  trial::Settings settings_;
  std::filesystem::path folder_;
  Samples samples_;
  tensor::SafetensorsFile data_;
  std::vector<referee::BatchOrder> order_;
  std::optional<std::filesystem::path> serialized_;
  std::optional<trial::Format> format_;  // of what is serialized
};

// The same training by the referee.
struct Expectation {
  struct Epoch {
    double loss = 0;
    double running_accuracy = 0;
    double training_accuracy = 0;  // in evaluation mode
    double test_accuracy = 0;
    double test_loss = 0;
  };
  std::vector<Epoch> epochs;
  std::vector<double> outputs;  // of the test set, before any training
};

[[nodiscard]] Result<Expectation> expectation_of(const Exercise& exercise);

}  // namespace crossbind::checkup
