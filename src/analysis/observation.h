// What the analysis takes from one trial, and the trials of a store that it is made from.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "store/store_reader.h"
#include "tasks/measured.h"

namespace crossbind::analysis {

struct PartSums {
  double load = 0;
  double forward = 0;
  std::optional<double> backward;
};

struct Observation {
  const Scope* scope = nullptr;  // never null; trials share it
  std::string binding;
  std::string device;  // "cpu" or "gpu"
  trial::Task task = trial::Task::kTrain;
  store::Axes axes;
  store::Outcome outcome = store::Outcome::kDone;
  std::string identity;
  store::Time started;

  std::vector<double> train_accuracy;  // by epoch; empty unless every epoch has it
  std::optional<double> final_train_accuracy;
  std::optional<double> final_test_accuracy;
  std::optional<double> f1;
  std::optional<double> auc;
  std::vector<double> seconds;  // one of a training, one a model of an inference
  std::optional<PartSums> parts;
  std::string parameters_sha256;  // of what was trained
  tasks::Passes test;
  tasks::Passes train;
  tasks::Answers answers;
  std::vector<uint32_t> seeds;  // of an inference's models
  std::vector<tasks::Contradiction> contradictions;
  std::optional<tasks::Judged> judged;  // of judged steps, empty while they are not done

  [[nodiscard]] bool is_training() const { return task == trial::Task::kTrain; }
  [[nodiscard]] bool is_inference() const { return mode().has_value(); }
  [[nodiscard]] bool is_done() const { return outcome == store::Outcome::kDone; }
  [[nodiscard]] bool has_inner_timers() const { return axes.measure == "parts"; }
  [[nodiscard]] std::optional<Mode> mode() const;  // as mode_of()
};

// "cpu" or "gpu", whatever a binding calls it.
[[nodiscard]] std::string device_of(const store::Axes& axes);

// How an inference loads its model; nothing for other tasks.
[[nodiscard]] std::optional<Mode> mode_of(trial::Task task);

using Observations = std::vector<Observation>;

// A verdict of conform that a store has. It is no run of a study, and nothing is measured in it.
struct StoredVerdict {
  store::Axes axes;
  store::NamedTexts questions;  // its settings: seeds, steps and the like
  std::string identity;
  store::Time started;
  tasks::Conformed verdict;
};

struct Observed {
  std::set<Scope> scopes;  // that the trials point to
  Observations trials;
  std::vector<StoredVerdict> verdicts;  // the latest of each binding, model, device and questions
  std::set<Component> components;
};

// In an order that does not depend on when they were added: by scope, binding as in tables, device,
// task, measure, seed and repeat. Of trials that differ in nothing but the build of a worker, the
// latest.
[[nodiscard]] Result<Observed> observe(const store::StoreReader& store,
                                       const std::optional<store::StudyId>& study);

// Observes, and `also` sees every one of `trials` as it is read: a large store is read once.
using AlsoSees = std::function<void(const store::TrialRecord&, const tasks::Measured&)>;
[[nodiscard]] Result<Observed> observe(const store::StoreReader& store,
                                       const std::optional<store::StudyId>& study,
                                       const AlsoSees& also);

[[nodiscard]] Result<Analysis> analyze(const Observed& observed);

}  // namespace crossbind::analysis
