#include "decide/made_up.h"

#include <fmt/format.h>

#include <numeric>

#include "base/digest.h"
#include "tensor/philox.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

store::TrialRecord made(const std::string& binding, uint32_t seed, const std::string& task) {
  store::TrialRecord trial;
  trial.axes = {.binding = binding,
                .model = "lenet5",
                .dataset = "mnist",
                .device = "cpu",
                .task = task,
                .loader = "resident",
                .variant = "step",
                .measure = "total",
                .seed = seed};
  trial.settings = {{"epochs", "2", "2"}, {"test_samples", "10000", "10000"}};
  return trial;
}

}  // namespace

store::TrialRecord made_training(const std::string& binding,
                                 uint32_t seed,
                                 double seconds,
                                 double accuracy) {
  auto trial = made(binding, seed, "train");
  tasks::Trained trained;
  trained.curve = {{1, 0.5, 0.9, accuracy / 2}, {2, 0.2, 0.95, accuracy}};
  trained.epochs = {{1, seconds * 0.5, {}}, {2, seconds * 0.5, {}}};
  trained.parameters_sha256 = fmt::format("{} {}", seed, accuracy);
  tasks::write(trained, trial);
  return trial;
}

store::TrialRecord made_inference(const std::string& binding,
                                  uint32_t seed,
                                  double seconds,
                                  double accuracy) {
  auto trial = made(binding, seed, "infer-parameters");
  trial.axes.weights = "pytorch/python";
  tasks::Inferred inferred;
  inferred.test.seconds = {seconds};
  inferred.test.accuracy = {accuracy};
  tasks::write(inferred, trial);
  store::sort_parts(trial);
  return trial;
}

store::TrialRecord made_judgement(const std::string& binding, uint32_t seed, tasks::Ruling ruling) {
  auto trial = made(binding, seed, "judge");
  const bool diverges = ruling == tasks::Ruling::kDiverges;
  tasks::write(
      tasks::Judged{.ruling = ruling, .where = diverges ? "step 1, forward 'conv1.out'[3]" : ""},
      trial);
  return trial;
}

store::TrialRecord made_verdict(const std::string& binding, tasks::ConformOutcome outcome) {
  auto trial = made(binding, 0, "conform");
  trial.axes.dataset.clear();
  tasks::Conformed conformed{.outcome = outcome};
  if (tasks::diverges(conformed)) {
    conformed.divergence = tasks::Divergence{.layer = "conv1", .error = 3, .bound = 1};
  }
  tasks::write(conformed, trial);
  return trial;
}

store::TrialRecord made_failure(store::TrialRecord trial, const std::string& reason) {
  trial.outcome = store::Outcome::kFailed;
  trial.reason = reason;
  trial.curve.clear();
  trial.series.clear();
  trial.facts.clear();
  return trial;
}

store::MemoryStore store_of(const std::vector<store::TrialRecord>& trials,
                            const std::string& build) {
  store::MemoryStore store;
  const auto study = store.add_study({"made up", ""}).value();
  for (auto trial : trials) {
    std::string text = build;
    for (const auto& axis : store::kTextAxes) {
      text += fmt::format("\n{}", trial.axes.*axis.field);
    }
    text += fmt::format("\n{} {}", trial.axes.seed, trial.axes.repeat);
    trial.identity = sha256_hex(std::as_bytes(std::span(text)));
    EXPECT_THAT(store.add_trial(study, trial), testing::is_ok());
  }
  return store;
}

std::vector<store::TrialRecord> noisy_trainings(const std::string& binding,
                                                size_t count,
                                                double seconds,
                                                double noise) {
  tensor::PhiloxStream stream(static_cast<uint32_t>(count), tensor::Purpose::kTest, 7);
  std::vector<store::TrialRecord> trials;
  trials.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    trials.push_back(made_training(
        binding, static_cast<uint32_t>(i + 1), seconds * (1 + noise * stream.normal())));
  }
  return trials;
}

std::vector<store::TrialRecord> shuffled(const std::vector<store::TrialRecord>& trials,
                                         uint32_t seed) {
  std::vector<int64_t> order(trials.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, 8);
  tensor::shuffle(order, stream);
  std::vector<store::TrialRecord> shuffled;
  shuffled.reserve(trials.size());
  for (const int64_t index : order) {
    shuffled.push_back(trials[static_cast<size_t>(index)]);
  }
  return shuffled;
}

}  // namespace crossbind::decide
