// What the analysis takes from one trial, and the trials of a store that it is made from.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "store/result_store.h"

namespace crossbind::analysis {

struct PartSums {
  double load = 0;
  double forward = 0;
  std::optional<double> backward;
};

// One set that an inference was scored on; each vector has a value a model, or none.
struct Scored {
  std::vector<double> accuracy;
  std::vector<double> expected;  // what the measurement itself held it against
  std::vector<double> same;      // its own verdict: 1 or 0
};

// What an inference said against what the binding said whose parameters it used.
struct Answers {
  std::vector<double> differing;
  std::vector<double> margins;
  std::vector<double> output_difference;
};

struct Observation {
  const Scope* scope = nullptr;  // never null; trials share it
  std::string binding;
  std::string device;  // "cpu" or "gpu"
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
  Scored test;
  Scored train;
  Answers answers;
  std::vector<uint32_t> seeds;                                      // of an inference's models
  std::vector<std::pair<std::string, std::string>> contradictions;  // kind and what is noted of it

  [[nodiscard]] bool is_training() const { return axes.task == "train"; }
  [[nodiscard]] bool is_inference() const { return axes.task.starts_with("infer"); }
  [[nodiscard]] bool is_done() const { return outcome == store::Outcome::kDone; }
  [[nodiscard]] bool has_inner_timers() const { return axes.measure == "parts"; }
  [[nodiscard]] Mode mode() const {
    return axes.task == "infer-serialization" ? Mode::kSerialization : Mode::kParameters;
  }
};

using Observations = std::vector<Observation>;

struct Observed {
  std::set<Scope> scopes;  // that the trials point to
  Observations trials;
  std::set<Component> components;
};

// In an order that does not depend on when they were added: by scope, binding as in tables, device,
// task, measure, seed and repeat. Of trials that differ in nothing but the build of a worker, the
// latest.
[[nodiscard]] Result<Observed> observe(const store::ResultStore& store,
                                       const std::optional<store::StudyId>& study);

// The same, and `also` sees every trial: a large store is read once.
[[nodiscard]] Result<Observed> observe(const store::ResultStore& store,
                                       const std::optional<store::StudyId>& study,
                                       const store::ResultStore::Visitor& also);

[[nodiscard]] Result<Analysis> analyze(const Observed& observed);

}  // namespace crossbind::analysis
