#include "run/study_runner.h"

#include <fmt/format.h>

#include <sched.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "converse/serialized_models.h"
#include "run/study_jobs.h"
#include "tasks/rules.h"

namespace crossbind::run {
namespace {

using converse::Failure;
using converse::Lack;
using converse::SerializedModels;
using converse::Setback;
using plan::Decision;
using store::Outcome;

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
    // Not parallel_for, whose pieces run to their end in any thread: a lane has processors of its
    // own, and waits while others train what its next trial needs.
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
          record.axes = axes_of(context_, trial);
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
    const store::Axes axes = axes_of(context_, trial);
    {
      const std::scoped_lock lock(mutex_);
      context_.watch.begins(lane, number, axes);
    }
    auto job = job_of(context_, trial, cpus_[lane]);
    if (!job) {
      store::TrialRecord record;
      record.identity = trial.id.to_string();
      record.axes = axes;
      record.started = options_.clock();
      record.outcome = Outcome::kFailed;
      record.reason = job.error().to_string();
      return record;
    }
    if (tasks::is_serialized(job->task, job->settings.variant)) {
      const auto serialize = serialize_job_of(context_, trial, *job);
      auto file = serialized_.get(serialize);
      if (!file) {
        return without_model(*job, file.error());
      }
      job->model_file = std::move(*file);
      job->format = serialize.format;
    }
    return run_trial(*job,
                     context_.launcher,
                     context_.stop,
                     options_.clock,
                     [&](const tasks::Progress& progress) {
                       const std::scoped_lock lock(mutex_);
                       context_.watch.goes_on(lane, progress);
                     });
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
