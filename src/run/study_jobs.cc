#include "run/study_jobs.h"

#include <algorithm>

#include "tasks/rules.h"

namespace crossbind::run {
namespace {

// What is scored beside the work ends with a score; where nobody wants it, of no more samples than
// this.
constexpr int64_t kScoredInVain = 16;

Result<std::filesystem::path> weights_of(const RunContext& context,
                                         const plan::Trial& trial,
                                         const spec::ModelEntry& entry,
                                         uint32_t seed) {
  if (context.plan.condition_of(trial).weights == plan::kSuppliedWeights) {
    return context.materials.supplied(entry.parameters);
  }
  if (trial.source == plan::kNoSource) {
    return context.materials.initial_weights(entry, seed);
  }
  return context.materials.trained(context.plan.trials[trial.source].id.to_string());
}

}  // namespace

store::Axes axes_of(const RunContext& context, const plan::Trial& trial) {
  const plan::Condition& condition = context.plan.condition_of(trial);
  const plan::Block& block = context.plan.block_of(trial);
  const spec::ModelEntry& entry = context.study.models[condition.model];
  store::Axes axes;
  axes.binding = context.plan.bindings[trial.binding];
  axes.model = entry.label;
  axes.dataset = entry.model.dataset;
  axes.device = context.study.devices[condition.device];
  axes.task = name_in(trial::kTasks, condition.task);
  axes.loader = name_in(trial::kLoaders, condition.loader);
  axes.variant = name_in(trial::kVariants, condition.variant);
  axes.measure = name_in(trial::kMeasures, condition.measure);
  axes.weights = context.plan.weights_of(trial);
  axes.seed = block.seed;
  axes.repeat = static_cast<int>(block.repeat);
  return axes;
}

Result<TrialJob> job_of(const RunContext& context,
                        const plan::Trial& trial,
                        const std::vector<int>& cpus) {
  const plan::Condition& condition = context.plan.condition_of(trial);
  const plan::Block& block = context.plan.block_of(trial);
  const spec::ModelEntry& entry = context.study.models[condition.model];
  TrialJob job;
  job.identity = trial.id.to_string();
  job.axes = axes_of(context, trial);
  job.model = &entry.model;
  job.task = condition.task;
  job.settings = plan::settings_of(context.study, condition, block.seed);
  job.command = context.commands.at(job.axes.binding);
  job.limits = {context.study.run.time_limit,
                static_cast<uint64_t>(context.study.run.memory_limit_mib) << 20,
                cpus,
                context.study.run.threads};
  job.saves = context.capabilities.at(job.axes.binding).saves;
  job.scratch = context.materials.scratch();
  CB_ASSIGN(job.data, context.materials.data(entry));
  job.is_shuffled = entry.shuffle;
  job.times_only = entry.steps.has_value();
  if (job.times_only && tasks::rules_of(job.task).scores_beside) {
    job.data.test_samples = std::min(job.data.test_samples, kScoredInVain);
  }
  CB_ASSIGN(job.model_file, weights_of(context, trial, entry, block.seed));
  if (tasks::rules_of(job.task).takes_steps) {
    CB_ASSIGN(job.order, context.materials.batch_order(entry, block.seed, job.data.train_samples));
    if (trial.feeds_others && job.saves) {
      job.keep = context.materials.trained(job.identity);
      job.keep_outputs = context.materials.trained_outputs(job.identity);
    }
  }
  if (trial.source != plan::kNoSource) {
    job.expected =
        context.materials.trained_outputs(context.plan.trials[trial.source].id.to_string());
  }
  return job;
}

converse::SerializeJob serialize_job_of(const RunContext& context,
                                        const plan::Trial& trial,
                                        const TrialJob& job) {
  converse::SerializeJob serialize;
  serialize.binding = context.plan.serializers[trial.binding];
  serialize.command = context.commands.at(serialize.binding);
  serialize.limits = job.limits;
  serialize.model = job.model;
  serialize.weights = job.model_file;
  const auto& writer = context.capabilities.at(serialize.binding);
  serialize.settings = trial::plain_settings(writer);
  // It was chosen for being able to write what the binding reads.
  serialize.format = *trial::common_format(writer, context.capabilities.at(job.axes.binding));
  serialize.settings.seed = job.settings.seed;
  serialize.training = tasks::rules_of(job.task).takes_steps;
  return serialize;
}

}  // namespace crossbind::run
