#include "plan/estimate.h"

#include <algorithm>
#include <vector>

#include "model/work.h"
#include "tasks/rules.h"

namespace crossbind::plan {
namespace {

tasks::Workload workload_of(const spec::Study& study,
                            const spec::ModelEntry& entry,
                            const DatasetFacts& dataset) {
  return {.train = static_cast<double>(entry.train_samples.value_or(dataset.train)),
          .test = static_cast<double>(entry.test_samples.value_or(dataset.test)),
          .epochs = static_cast<double>(entry.epochs),
          .batch = static_cast<double>(entry.model.batch),
          .warmup_steps = static_cast<double>(study.run.warmup_steps),
          .times_only = entry.steps.has_value(),
          .training_accuracy = entry.training_accuracy,
          .evaluate = entry.evaluate};
}

// The seconds of one trial of each condition; nothing is known of other devices than the CPU.
std::vector<Seconds> times_of_conditions(const spec::Study& study,
                                         const Facts& facts,
                                         const Plan& plan) {
  std::vector<Seconds> of_sample;
  std::vector<tasks::Workload> workloads;
  for (const auto& entry : study.models) {
    const model::Work work = model::work_of(entry.model);
    of_sample.emplace_back((static_cast<double>(work.multiply_adds) / kMultiplyAdds +
                            static_cast<double>(work.values) / kValues) /
                           study.run.threads);
    workloads.push_back(workload_of(
        study, entry, *std::ranges::find(facts.datasets, entry.model.dataset, &DatasetFacts::id)));
  }
  std::vector<Seconds> times;
  times.reserve(plan.conditions.size());
  for (const Condition& condition : plan.conditions) {
    const auto samples = tasks::rules_of(condition.task).samples;
    times.push_back(study.devices[condition.device] == "cpu"
                        ? kStart + of_sample[condition.model] * samples(workloads[condition.model])
                        : Seconds{0});
  }
  return times;
}

}  // namespace

Estimate estimate(const spec::Study& study, const Facts& facts, const Plan& plan) {
  const std::vector<Seconds> times = times_of_conditions(study, facts, plan);
  Estimate total;
  for (const Trial& trial : plan.trials) {
    const Seconds seconds = times[plan.block_of(trial).condition];
    if (is_run(trial.decision)) {
      total.to_run += seconds;
    } else if (trial.decision == Decision::kUnavailable) {
      total.unavailable += seconds;
    }
  }
  return total;
}

}  // namespace crossbind::plan
