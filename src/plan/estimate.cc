#include "plan/estimate.h"

#include <algorithm>
#include <vector>

#include "model/work.h"

namespace crossbind::plan {
namespace {

using trial::Task;

constexpr double kForwardAndBackward = 3;  // in units of a forward pass
constexpr double kJudgedSteps = 3;
constexpr double kReferee = 8;  // how much slower float64 and its bounds are

// Samples that go forward through the model, those of a backward pass counted threefold.
double samples_of(const spec::Study& study,
                  const spec::ModelEntry& entry,
                  const DatasetFacts& dataset,
                  Task task) {
  const auto train = static_cast<double>(entry.train_samples.value_or(dataset.train));
  const auto test = static_cast<double>(entry.test_samples.value_or(dataset.test));
  const auto epochs = static_cast<double>(entry.epochs);
  const auto batch = static_cast<double>(entry.model.batch);
  const double warmup = static_cast<double>(study.run.warmup_steps) * batch;
  switch (task) {
    case Task::kJudge:
      return kJudgedSteps * batch * kForwardAndBackward * (1 + kReferee);
    case Task::kTrain: {
      if (entry.steps) {
        return (train + warmup) * kForwardAndBackward;
      }
      const bool scores_training = entry.training_accuracy == trial::TrainingAccuracy::kEval;
      const double scored = (scores_training ? train * epochs : 0) +
                            test * (entry.evaluate == trial::Evaluate::kLast ? 1 : epochs);
      return (train * epochs + warmup) * kForwardAndBackward + scored;
    }
    case Task::kInferParameters:
    case Task::kInferSerialization:
      break;
  }
  return test + warmup;
}

}  // namespace

Estimate estimate(const spec::Study& study, const Facts& facts, const Plan& plan) {
  std::vector<Seconds> of_sample;
  std::vector<const DatasetFacts*> datasets;
  for (const auto& entry : study.models) {
    const model::Work work = model::work_of(entry.model);
    of_sample.emplace_back((static_cast<double>(work.multiply_adds) / kMultiplyAdds +
                            static_cast<double>(work.values) / kValues) /
                           study.run.threads);
    datasets.push_back(&*std::ranges::find(facts.datasets, entry.model.dataset, &DatasetFacts::id));
  }
  Estimate total;
  for (const Trial& trial : plan.trials) {
    const Condition& condition = plan.condition_of(trial);
    if (study.devices[condition.device] != "cpu") {
      continue;
    }
    const size_t model = condition.model;
    const Seconds seconds =
        kStart +
        of_sample[model] * samples_of(study, study.models[model], *datasets[model], condition.task);
    if (is_run(trial.decision)) {
      total.to_run += seconds;
    } else if (trial.decision == Decision::kUnavailable) {
      total.unavailable += seconds;
    }
  }
  return total;
}

}  // namespace crossbind::plan
