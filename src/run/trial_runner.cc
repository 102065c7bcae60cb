#include "run/trial_runner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "converse/dialogue.h"
#include "judge/built_model.h"
#include "model/graph_json.h"
#include "tasks/rules.h"

namespace crossbind::run {
namespace {

using converse::Attempt;
using converse::because;
using converse::Dialogue;
using converse::explain;
using converse::Failure;
using converse::Lack;
using converse::Launcher;
using converse::leave_after;
using converse::one_line;
using converse::Setback;
using converse::Stopped;
using converse::Worker;
using process::StopSignal;
using store::Outcome;

class TrialRun {
 public:
  TrialRun(const TrialJob& job,
           Launcher& launcher,
           const StopSignal& stop,
           const tasks::OnProgress& on_progress,
           store::TrialRecord record)
      : job_(job),
        launcher_(launcher),
        stop_(stop),
        on_progress_(on_progress),
        record_(std::move(record)) {}

  std::optional<store::TrialRecord> run() {
    auto launched = launcher_.launch(job_.axes.binding, job_.command, job_.limits);
    if (!launched) {
      return failed(launched.error().to_string());
    }
    Worker& worker = **launched;
    const Attempt<tasks::Measured> measured = talk(worker);
    const process::End end = worker.end(leave_after(measured));
    take(end);
    if (!measured) {
      return conclude(measured.error(), end);
    }
    tasks::write(*measured, record_);
    return std::move(record_);
  }

 private:
  Attempt<tasks::Measured> talk(Worker& worker) {
    auto directory = TemporaryDirectory::create_in(job_.scratch);
    if (!directory) {
      return because(Failure{directory.error().to_string()});
    }
    Dialogue dialogue(worker, stop_);
    const auto hello = dialogue.greet();
    if (!hello) {
      return because(hello.error());
    }
    for (const auto& [name, version] : hello->versions) {
      record_.worker.insert_or_assign(name, version);
    }
    const tasks::Session session{dialogue, job_, directory->path(), on_progress_};
    const auto effective = tasks::prepare(session);
    if (!effective) {
      return because(effective.error());
    }
    for (const auto& [name, value] : *effective) {
      set_effective(name, value);
    }
    auto measured = tasks::conduct(session, *effective);
    if (!measured) {
      return measured;
    }
    for (const auto& [name, hash] : worker.program().libraries()) {
      record_.worker.emplace(name, hash);
    }
    static_cast<void>(worker.send(protocol::Bye{}));  // it has done its work; it may be gone
    return measured;
  }

  void set_effective(const std::string& name, const std::string& value) {
    const auto found = std::ranges::find(record_.settings, name, &store::Setting::name);
    if (found != record_.settings.end()) {
      found->effective = value;
    } else {
      record_.settings.push_back({name, model::form_of(*job_.model, name), value});
    }
  }

  void take(const process::End& end) {
    record_.log = end.log;
    if (end.ending != process::Ending::kGuardLost) {
      record_.wall = end.usage.wall;
      record_.user = end.usage.user;
      record_.system = end.usage.system;
      record_.peak_memory = end.usage.peak_memory;
    }
  }

  std::optional<store::TrialRecord> conclude(const Setback& setback, const process::End& end) {
    if (std::holds_alternative<Stopped>(setback)) {
      return std::nullopt;
    }
    if (const auto* lack = std::get_if<Lack>(&setback)) {
      record_.outcome = Outcome::kUnsupported;
      record_.reason = one_line(lack->feature);
      return std::move(record_);
    }
    return failed(explain(std::get<Failure>(setback), end));
  }

  store::TrialRecord failed(const std::string& reason) {
    record_.outcome = Outcome::kFailed;
    record_.reason = one_line(reason);
    return std::move(record_);
  }

  const TrialJob& job_;
  Launcher& launcher_;
  const StopSignal& stop_;
  const tasks::OnProgress& on_progress_;
  store::TrialRecord record_;
};

}  // namespace

store::TrialRecord blank_record(const TrialJob& job, store::Time started) {
  store::TrialRecord record;
  record.identity = job.identity;
  record.axes = job.axes;
  record.started = started;
  const auto& settings = job.settings;
  const auto add = [&](const char* name, const std::string& value) {
    record.settings.push_back({name, value, value});
  };
  add("batch_size", std::to_string(settings.batch_size));
  add("threads", std::to_string(settings.threads));
  add("warmup_steps", std::to_string(settings.warmup_steps));
  add("test_samples", std::to_string(job.data.test_samples));
  if (job.times_only) {
    add("scores", "false");
  }
  if (tasks::rules_of(job.task).takes_steps) {
    add("epochs", std::to_string(settings.epochs));
    add("train_samples", std::to_string(job.data.train_samples));
    add("training_accuracy",
        std::string(name_in(trial::kTrainingAccuracies, settings.training_accuracy)));
    add("evaluate", std::string(name_in(trial::kEvaluates, settings.evaluate)));
    if (!job.is_shuffled) {
      add("shuffle", "false");
    }
    add("optimizer", model::canonical_graph(*job.model)["optimizer"].dump());
  }
  return record;
}

std::optional<store::TrialRecord> run_trial(const TrialJob& job,
                                            Launcher& launcher,
                                            const StopSignal& stop,
                                            const Clock& clock,
                                            const tasks::OnProgress& on_progress) {
  return TrialRun(job, launcher, stop, on_progress, blank_record(job, clock())).run();
}

}  // namespace crossbind::run
