#include "published/records.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/digest.h"
#include "published/seeds.h"
#include "tasks/measured.h"
#include "tasks/rules.h"

namespace crossbind::published {
namespace {

struct Setup {
  std::string_view model;
  std::string_view dataset;
  size_t epochs = 0;
  int batch_size = 0;
};

constexpr std::array<Setup, 6> kSetups = {{{"lenet1", "mnist", 200, 128},
                                           {"lenet5", "mnist", 200, 128},
                                           {"vgg16", "cifar10", 200, 128},
                                           {"lstm", "imdb", 30, 256},
                                           {"gru", "imdb", 30, 256},
                                           {"grurb", "imdb", 30, 256}}};

const Setup* setup_of(const std::string& model) {
  const auto found = std::ranges::find(kSetups, model, &Setup::model);
  return found == kSetups.end() ? nullptr : &*found;
}

std::string identity_of(const store::TrialRecord& trial) {
  std::string parts = fmt::format("published {}", name_of(trial.outcome));
  for (const auto& axis : store::kTextAxes) {
    const std::string& value = trial.axes.*axis.field;
    parts += fmt::format(" {}:{}", value.size(), value);
  }
  parts += fmt::format(" {} {}", trial.axes.seed, trial.axes.repeat);
  return sha256_hex(std::as_bytes(std::span(parts)));
}

store::TrialRecord blank(const Cell& cell, const std::string& device, trial::Task task) {
  store::TrialRecord trial;
  trial.axes.binding = fmt::format("{}/{}", cell.framework, name_of(cell.language));
  trial.axes.model = cell.model;
  trial.axes.device = device;
  trial.axes.task = trial::word_of(task).name;
  // Each binding did what is usual in it: a comparison of its own, that nothing else belongs to.
  trial.axes.loader = "published";
  trial.axes.variant = "published";
  trial.axes.measure = "total";
  if (tasks::rules_of(task).axes.weights) {
    trial.axes.weights = cell.framework + "/python";
  }
  const auto* setup = setup_of(cell.model);
  trial.axes.dataset = setup == nullptr ? "unknown" : setup->dataset;
  if (setup != nullptr) {
    const std::string batch_size = std::to_string(setup->batch_size);
    trial.settings.push_back({"batch_size", batch_size, batch_size});
  }
  trial.host = {{"source", "published measurements of the bindings study"}};
  trial.worker = {{cell.framework, cell.framework == "tensorflow" ? "2.5.0" : "1.9.0"}};
  return trial;
}

std::vector<tasks::Contradiction> contradictions_in(const std::vector<Discrepancy>& all) {
  std::vector<tasks::Contradiction> found;
  found.reserve(all.size());
  for (const auto& [kind, claim, value, expected] : all) {
    found.push_back({kind, claim, value, expected});
  }
  return found;
}

tasks::Passes passes_of(const PublishedPasses& passes) {
  return {.seconds = passes.seconds,
          .accuracy = passes.accuracies,
          .expected = passes.expected,
          .same = {passes.same.begin(), passes.same.end()}};
}

}  // namespace

store::StudyRecord published_study() {
  return {"published",
          "The published measurements of the bindings study: TensorFlow 2.5.0, PyTorch 1.9.0.\n"};
}

std::optional<size_t> epochs_of(const std::string& model) {
  const auto* setup = setup_of(model);
  return setup == nullptr ? std::nullopt : std::optional(setup->epochs);
}

store::TrialRecord training_record(const Cell& cell,
                                   const std::string& device,
                                   size_t index,
                                   const TrainingFiles& files) {
  auto trial = blank(cell, device, trial::Task::kTrain);
  trial.axes.seed = kSeeds[index];
  trial.settings.push_back({"training_accuracy", "eval", "eval"});
  const auto at = [](const std::vector<double>& curve, size_t epoch) {
    return epoch < curve.size() ? std::optional(curve[epoch]) : std::nullopt;
  };
  tasks::Trained trained;
  const size_t epochs = std::max(files.train_accuracy.size(), files.test_accuracy.size());
  trained.curve.reserve(epochs);
  for (size_t epoch = 0; epoch < epochs; ++epoch) {
    trained.curve.push_back({.epoch = static_cast<int>(epoch) + 1,
                             .loss = std::nullopt,
                             .train_accuracy = at(files.train_accuracy, epoch),
                             .test_accuracy = at(files.test_accuracy, epoch)});
  }
  if (files.cost) {
    trained.in_total = files.cost->training;
  }
  if (files.roc) {
    trained.auc = files.roc->macro;
  }
  trained.contradictions = contradictions_in(recompute(files, trial.axes.seed));
  tasks::write(trained, trial);
  trial.identity = identity_of(trial);
  return trial;
}

store::TrialRecord inference_record(const Cell& cell,
                                    const std::string& device,
                                    trial::Task task,
                                    const Inference& inference) {
  auto trial = blank(cell, device, task);
  tasks::Inferred inferred;
  inferred.test = passes_of(inference.test);
  inferred.train = passes_of(inference.train);
  inferred.seeds = {kSeeds.begin(), kSeeds.end()};
  inferred.contradictions = contradictions_in(recompute(inference));
  tasks::write(inferred, trial);
  trial.identity = identity_of(trial);
  return trial;
}

store::TrialRecord unsupported_record(const Cell& cell,
                                      const std::string& device,
                                      trial::Task task) {
  auto trial = blank(cell, device, task);
  trial.outcome = store::Outcome::kUnsupported;
  trial.reason = "the study has no file of it";
  trial.identity = identity_of(trial);
  return trial;
}

}  // namespace crossbind::published
