#include "run/study_runner.h"

#include <fmt/format.h>

#include <sched.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "run/serialized_models.h"

namespace crossbind::run {
namespace {

using plan::Decision;
using store::Outcome;

// Every training ends with a score; where nobody wants it, of no more samples than this.
constexpr int64_t kScoredInVain = 16;

enum class State : uint8_t { kWaiting, kRunning, kReady, kUnusable };

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

// The processors of each lane: its own ones, so that trials do not disturb each other.
Result<std::vector<std::vector<int>>> assign_cpus(size_t jobs, int threads) {
  const std::vector<int> cpus = allowed_cpus();
  const auto share = static_cast<size_t>(threads);
  std::vector<std::vector<int>> lanes(jobs);
  if (jobs == 1 && share >= cpus.size()) {
    return lanes;
  }
  if (jobs * share > cpus.size()) {
    return tl::unexpected(Error{
        ErrorKind::kInvalid,
        fmt::format("{} trials at a time with {} thread(s) each need {} processors, and there "
                    "are {}",
                    jobs,
                    threads,
                    jobs * share,
                    cpus.size()),
        "--jobs",
        "Trials that share a processor would measure each other. Use fewer jobs."});
  }
  for (size_t lane = 0; lane < jobs; ++lane) {
    const auto begin = cpus.begin() + static_cast<ptrdiff_t>(lane * share);
    lanes[lane].assign(begin, begin + threads);
  }
  return lanes;
}

class StudyRun {
 public:
  StudyRun(const RunContext& context,
           const RunOptions& options,
           store::StudyId study,
           std::vector<std::vector<int>> cpus)
      : context_(context),
        options_(options),
        study_(std::move(study)),
        cpus_(std::move(cpus)),
        serialized_(context.materials.scratch(), context.launcher, context.stop),
        states_(context.plan.trials.size(), State::kReady) {
    for (size_t i = 0; i < states_.size(); ++i) {
      const Decision decision = context_.plan.trials[i].decision;
      if (plan::is_run(decision)) {
        states_[i] = State::kWaiting;
      } else if (decision != Decision::kDone) {
        states_[i] = State::kUnusable;
      }
    }
  }

  Result<RunSummary> run() {
    CB_TRY(store_what_is_known());
    std::vector<std::thread> lanes;
    for (size_t lane = 0; lane < cpus_.size(); ++lane) {
      lanes.emplace_back([this, lane] { work(lane); });
    }
    for (auto& lane : lanes) {
      lane.join();
    }
    if (error_) {
      return tl::unexpected(*error_);
    }
    return summary_;
  }

 private:
  // Trials that need no process: unsupported ones, and those that another study has run.
  Status store_what_is_known() {
    return context_.store.transact([&]() -> Status {
      for (const plan::Trial& trial : context_.plan.trials) {
        if (trial.decision == Decision::kDone) {
          CB_TRY(context_.store.link_trial(study_, trial.id.to_string()));
        } else if (trial.decision == Decision::kUnsupported) {
          store::TrialRecord record;
          record.identity = trial.id.to_string();
          record.axes = axes_of(trial);
          record.outcome = Outcome::kUnsupported;
          record.reason = context_.plan.notes[trial.note];
          record.started = options_.clock();
          record.host = options_.host;
          CB_TRY(store(record));
          ++summary_.unsupported;
        }
      }
      return {};
    });
  }

  void work(size_t lane) {
    while (const auto next = take()) {
      const auto [index, number] = *next;
      auto record = run(lane, index, number);
      const std::scoped_lock lock(mutex_);
      finish(lane, index, number, std::move(record));
      changed_.notify_all();
    }
  }

  struct Next {
    size_t trial;
    size_t number;
  };

  // The first trial that can run now; waits while those that others need are still running.
  std::optional<Next> take() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (error_ || context_.stop.is_raised()) {
        return std::nullopt;
      }
      bool must_wait = false;
      for (size_t i = first_waiting_; i < states_.size(); ++i) {
        if (states_[i] != State::kWaiting) {
          first_waiting_ += i == first_waiting_ ? 1 : 0;
          continue;
        }
        const State source = source_state(i);
        if (source == State::kReady) {
          states_[i] = State::kRunning;
          return Next{i, ++started_};
        }
        if (source == State::kUnusable) {
          states_[i] = State::kUnusable;
          ++summary_.not_run;
          continue;
        }
        must_wait = true;
      }
      if (!must_wait) {
        return std::nullopt;
      }
      changed_.wait(lock);
    }
  }

  [[nodiscard]] State source_state(size_t trial) const {
    const uint32_t source = context_.plan.trials[trial].source;
    return source == plan::kNoSource ? State::kReady : states_[source];
  }

  std::optional<store::TrialRecord> run(size_t lane, size_t index, size_t number) {
    const plan::Trial& trial = context_.plan.trials[index];
    const store::Axes axes = axes_of(trial);
    {
      const std::scoped_lock lock(mutex_);
      context_.watch.begins(lane, number, axes);
    }
    auto job = job_of(trial, lane);
    if (!job) {
      store::TrialRecord record;
      record.identity = trial.id.to_string();
      record.axes = axes;
      record.started = options_.clock();
      record.outcome = Outcome::kFailed;
      record.reason = job.error().to_string();
      return record;
    }
    if (trial::is_serialized(job->task, job->settings.variant)) {
      auto file = serialized_model(trial, *job);
      if (!file) {
        return without_model(*job, file.error());
      }
      job->model_file = std::move(*file);
    }
    return run_trial(
        *job, context_.launcher, context_.stop, options_.clock, [&](const TrialProgress& progress) {
          const std::scoped_lock lock(mutex_);
          context_.watch.goes_on(lane, progress);
        });
  }

  Step<std::filesystem::path> serialized_model(const plan::Trial& trial, const TrialJob& job) {
    SerializeJob serialize;
    serialize.binding = context_.plan.serializers[trial.binding];
    serialize.command = context_.commands.at(serialize.binding);
    serialize.limits = job.limits;
    serialize.model = job.model;
    serialize.weights = job.model_file;
    serialize.settings = trial::plain_settings(context_.capabilities.at(serialize.binding));
    serialize.settings.seed = job.settings.seed;
    serialize.training = job.task == trial::Task::kTrain;
    return serialized_.get(serialize);
  }

  std::optional<store::TrialRecord> without_model(const TrialJob& job, const Setback& setback) {
    store::TrialRecord record = blank_record(job, options_.clock());
    if (const auto* lack = std::get_if<Lack>(&setback)) {
      record.outcome = Outcome::kUnsupported;
      record.reason = lack->feature;
    } else if (const auto* failure = std::get_if<Failure>(&setback)) {
      record.outcome = Outcome::kFailed;
      record.reason = failure->reason;
    } else {
      return std::nullopt;
    }
    return record;
  }

  void finish(size_t lane, size_t index, size_t number, std::optional<store::TrialRecord> record) {
    if (!record) {
      states_[index] = State::kUnusable;
      ++summary_.not_run;
      context_.watch.is_interrupted(lane);
      return;
    }
    record->host = options_.host;
    states_[index] = record->outcome == Outcome::kDone ? State::kReady : State::kUnusable;
    if (auto stored = store(*record); !stored) {
      error_ = std::move(stored).error();
      return;
    }
    size_t& count = record->outcome == Outcome::kDone     ? summary_.done
                    : record->outcome == Outcome::kFailed ? summary_.failed
                                                          : summary_.unsupported;
    ++count;
    context_.watch.ends(lane, number, *record);
  }

  // What is there already stays: of a training that ran again for its parameters, and of a trial
  // that another crossbind has run meanwhile.
  Status store(const store::TrialRecord& record) {
    return context_.store.transact([&]() -> Status {
      CB_ASSIGN(const auto before, context_.store.find_trial(record.identity));
      return before && before->outcome != Outcome::kFailed
                 ? context_.store.link_trial(study_, record.identity)
                 : context_.store.add_trial(study_, record);
    });
  }

  [[nodiscard]] store::Axes axes_of(const plan::Trial& trial) const {
    const plan::Condition& condition = context_.plan.condition_of(trial);
    const plan::Block& block = context_.plan.block_of(trial);
    const spec::ModelEntry& entry = context_.study.models[condition.model];
    store::Axes axes;
    axes.binding = context_.plan.bindings[trial.binding];
    axes.model = entry.label;
    axes.dataset = entry.model.dataset;
    axes.device = context_.study.devices[condition.device];
    axes.task = name_in(trial::kTasks, condition.task);
    axes.loader = name_in(trial::kLoaders, condition.loader);
    axes.variant = name_in(trial::kVariants, condition.variant);
    axes.measure = name_in(trial::kMeasures, condition.measure);
    axes.weights = context_.plan.weights_of(trial);
    axes.seed = block.seed;
    axes.repeat = static_cast<int>(block.repeat);
    return axes;
  }

  Result<TrialJob> job_of(const plan::Trial& trial, size_t lane) {
    const plan::Condition& condition = context_.plan.condition_of(trial);
    const plan::Block& block = context_.plan.block_of(trial);
    const spec::ModelEntry& entry = context_.study.models[condition.model];
    TrialJob job;
    job.identity = trial.id.to_string();
    job.axes = axes_of(trial);
    job.model = &entry.model;
    job.task = condition.task;
    job.settings = plan::settings_of(context_.study, condition, block.seed);
    job.command = context_.commands.at(job.axes.binding);
    job.limits = {context_.study.run.time_limit,
                  static_cast<uint64_t>(context_.study.run.memory_limit_mib) << 20,
                  cpus_[lane],
                  context_.study.run.threads};
    job.saves = context_.capabilities.at(job.axes.binding).saves;
    job.scratch = context_.materials.scratch();
    CB_ASSIGN(job.data, context_.materials.data(entry));
    job.is_shuffled = entry.shuffle;
    job.times_only = entry.steps.has_value();
    if (job.times_only && job.task == trial::Task::kTrain) {
      job.data.test_samples = std::min(job.data.test_samples, kScoredInVain);
    }
    CB_ASSIGN(job.model_file, weights_of(trial, entry, block.seed));
    if (!trial::infers(job.task)) {
      CB_ASSIGN(job.order,
                context_.materials.batch_order(entry, block.seed, job.data.train_samples));
      if (trial.feeds_others && job.saves) {
        job.keep = context_.materials.trained(job.identity);
        job.keep_outputs = context_.materials.trained_outputs(job.identity);
      }
    }
    if (trial.source != plan::kNoSource) {
      job.expected =
          context_.materials.trained_outputs(context_.plan.trials[trial.source].id.to_string());
    }
    return job;
  }

  Result<std::filesystem::path> weights_of(const plan::Trial& trial,
                                           const spec::ModelEntry& entry,
                                           uint32_t seed) {
    if (context_.plan.condition_of(trial).weights == plan::kSuppliedWeights) {
      return context_.materials.supplied(entry.parameters);
    }
    if (trial.source == plan::kNoSource) {
      return context_.materials.initial_weights(entry, seed);
    }
    return context_.materials.trained(context_.plan.trials[trial.source].id.to_string());
  }

  const RunContext& context_;
  const RunOptions& options_;
  store::StudyId study_;
  std::vector<std::vector<int>> cpus_;  // by lane
  SerializedModels serialized_;

  std::mutex mutex_;  // of everything below, of the store and of the watch
  std::condition_variable changed_;
  std::vector<State> states_;
  size_t first_waiting_ = 0;  // no trial before it waits
  size_t started_ = 0;
  RunSummary summary_;
  std::optional<Error> error_;
};

}  // namespace

Result<RunSummary> run_study(const RunContext& context, const RunOptions& options) {
  CB_ASSIGN(auto cpus, assign_cpus(options.jobs, context.study.run.threads));
  CB_ASSIGN(auto study, context.store.add_study({context.study.name, options.study_text}));
  return StudyRun(context, options, std::move(study), std::move(cpus)).run();
}

size_t trials_to_run(const plan::Plan& plan) {
  return static_cast<size_t>(std::ranges::count_if(
      plan.trials, [](const plan::Trial& trial) { return plan::is_run(trial.decision); }));
}

}  // namespace crossbind::run
