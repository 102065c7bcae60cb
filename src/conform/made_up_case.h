// Cases of ready models with made-up numbers, and a worker that can take them, for tests.
#pragma once

#include <string>

#include "conform/case.h"
#include "judge/step_tensors.h"
#include "model/features.h"
#include "model/losses.h"
#include "referee/rounding.h"
#include "referee/test_batch.h"
#include "trial/capabilities.h"

namespace crossbind::conform {

[[nodiscard]] inline tensor::Tensor as_integers(const tensor::Shape& shape, const auto& values) {
  return {shape, std::vector<int64_t>(values.begin(), values.end())};
}

// A training step of a ready model at its [conform] geometry.
[[nodiscard]] inline Case made_up_case(const std::string& name) {
  Case subject;
  subject.model = referee::conform_model(name);
  subject.state = referee::make_parameters(subject.model, 1);
  auto batch = referee::make_batch<double>(subject.model, subject.model.batch, 1);
  for (size_t i = 0; i < batch.inputs.size(); ++i) {
    const auto& input = subject.model.inputs[i];
    subject.batch.emplace(input.name,
                          input.is_integer()
                              ? as_integers(batch.inputs[i].shape, batch.inputs[i].values)
                              : referee::as_float32(batch.inputs[i]));
  }
  const tensor::Shape samples = {subject.model.batch};
  const auto targets = model::describe(subject.model.loss).targets;
  for (size_t i = 0; i < targets.size(); ++i) {
    subject.batch.emplace(targets[i], as_integers(samples, *batch.targets.columns().at(i)));
  }
  return subject;
}

// What a worker says that shows everything.
[[nodiscard]] inline trial::Capabilities able_to_do_all() {
  return {.tasks = {trial::Task::kTrain, trial::Task::kInferParameters},
          .devices = {"cpu"},
          .loaders = {trial::Loader::kResident},
          .variants = {trial::Variant::kStep},
          .measures = {trial::Measure::kTotal},
          .training_accuracies = {trial::TrainingAccuracy::kRunning},
          .layers = model::all_layer_types(),
          .losses = {"cross_entropy", "binary_cross_entropy"},
          .optimizers = {"sgd", "adam"},
          .probe = trial::ProbeLevel::kGradients,
          .saves = true};
}

}  // namespace crossbind::conform
