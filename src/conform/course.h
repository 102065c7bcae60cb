// The way that all bindings are led along on one model and seed: the batches of the steps, and the
// state that each step starts from, as files. By default the states are those of the referee, whose
// every step starts from float32 values; where bindings are compared with one of them, its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "checkup/exercise.h"
#include "converse/probed_step.h"
#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::conform {

inline constexpr int64_t kWholeBatches = 3;  // that the loader is watched at, before a partial one
inline constexpr int64_t kPathSteps = kWholeBatches + 1;

class Course {
 public:
  // Writes its files into the folder, which is made: data, weights, batches, the first state.
  [[nodiscard]] static Result<Course> make(const model::Model& model,
                                           uint32_t seed,
                                           int64_t steps,
                                           const std::filesystem::path& folder);

  // The referee goes all steps, and leaves its states.
  [[nodiscard]] Status walk();
  [[nodiscard]] Status set_state(int64_t number, const tensor::TensorMap& state) const;

  [[nodiscard]] const model::Model& model() const { return exercise_.model(); }  // without dropout
  [[nodiscard]] const model::Model& whole_model() const { return whole_model_; }
  [[nodiscard]] const checkup::Exercise& exercise() const { return exercise_; }
  [[nodiscard]] uint32_t seed() const { return exercise_.settings().seed; }
  [[nodiscard]] int64_t steps() const { return steps_; }
  [[nodiscard]] int64_t batch_size() const { return exercise_.settings().batch_size; }

  // Where step `number` (from 1) starts, and the files that say so to a worker.
  [[nodiscard]] Result<judge::RecordedStep> start(int64_t number) const;
  [[nodiscard]] converse::StepFiles files(int64_t number,
                                          const std::filesystem::path& directory) const;
  // One after the last step: what the last one came to.
  [[nodiscard]] std::filesystem::path state_file(int64_t number) const;
  [[nodiscard]] std::filesystem::path batch_file(int64_t number) const;

  // A training over three whole batches and a partial one, and which samples they are. As of all
  // requests, the scratch folder is the caller's.
  [[nodiscard]] protocol::Prepare prepare_loader(const trial::Settings& settings) const;
  [[nodiscard]] referee::BatchOrder loader_order() const;
  // A training over the first of as many batches in the order of the file, and the samples of one
  // (from 1).
  [[nodiscard]] protocol::Prepare prepare_path(int64_t batches,
                                               const trial::Settings& settings) const;
  [[nodiscard]] std::vector<int64_t> path_ids(int64_t number) const;

 private:
  Course(checkup::Exercise exercise, model::Model whole_model, int64_t steps)
      : exercise_(std::move(exercise)),
        whole_model_(std::move(whole_model)),
        steps_(steps) {}

  [[nodiscard]] int64_t loader_samples() const;
  [[nodiscard]] referee::BatchOrder path_order(int64_t batches) const;
  [[nodiscard]] protocol::Prepare prepare(const referee::BatchOrder& order,
                                          const std::string& file,
                                          const trial::Settings& settings) const;
  [[nodiscard]] Status save_orders() const;
  [[nodiscard]] const std::vector<int64_t>& ids(int64_t number) const {
    return exercise_.order().front()[static_cast<size_t>(number - 1)];
  }

  checkup::Exercise exercise_;
  model::Model whole_model_;
  int64_t steps_;
};

}  // namespace crossbind::conform
