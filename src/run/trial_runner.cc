#include "run/trial_runner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "judge/built_model.h"
#include "model/forms.h"
#include "model/graph_json.h"
#include "run/account.h"
#include "run/compared_outputs.h"
#include "run/dialogue.h"
#include "run/judged_steps.h"
#include "run/parameters_file.h"

namespace crossbind::run {
namespace {

using store::Outcome;

constexpr protocol::RequestId kPrepareId = 1;
constexpr protocol::RequestId kWorkId = 2;
constexpr protocol::RequestId kAnswerId = 3;

Step<void> move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to.parent_path(), error);
  std::filesystem::rename(from, to, error);
  if (error) {
    return because(
        Failure{fmt::format("cannot keep what it wrote as {}: {}", to.string(), error.message())});
  }
  return {};
}

class TrialRun {
 public:
  TrialRun(const TrialJob& job,
           WorkerLauncher& launcher,
           const StopSignal& stop,
           const OnProgress& on_progress,
           store::TrialRecord record)
      : job_(job),
        launcher_(launcher),
        stop_(stop),
        on_progress_(on_progress),
        record_(std::move(record)),
        account_(job_, record_) {}

  std::optional<store::TrialRecord> run() {
    auto launched = launcher_.launch(job_.axes.binding, job_.command, job_.limits);
    if (!launched) {
      return failed(launched.error().to_string());
    }
    worker_ = std::move(*launched);
    dialogue_.emplace(*worker_, stop_);
    const Step<void> step = converse();
    const process::Report report = worker_->end(leave_after(step));
    take(report);
    if (step) {
      return std::move(record_);
    }
    return conclude(step.error(), report);
  }

 private:
  Step<void> converse() {
    auto directory = TemporaryDirectory::create_in(job_.scratch);
    if (!directory) {
      return because(Failure{directory.error().to_string()});
    }
    if (auto greeted = greet(); !greeted) {
      return greeted;
    }
    if (auto prepared = prepare(directory->path()); !prepared) {
      return prepared;
    }
    auto worked = work(directory->path());
    if (!worked) {
      return worked;
    }
    for (const auto& [name, hash] : worker_->libraries()) {
      record_.worker.emplace(name, hash);
    }
    static_cast<void>(worker_->send(protocol::Bye{}));  // it has done its work; it may be gone
    return {};
  }

  Step<void> work(const std::filesystem::path& directory) {
    switch (job_.task) {
      case trial::Task::kTrain:
        return train(directory);
      case trial::Task::kJudge:
        return judge(directory);
      default:
        return infer(directory);
    }
  }

  Step<void> greet() {
    const auto hello = dialogue_->greet();
    if (!hello) {
      return because(hello.error());
    }
    for (const auto& [name, version] : hello->versions) {
      record_.worker.insert_or_assign(name, version);
    }
    return {};
  }

  Step<void> prepare(const std::filesystem::path& directory) {
    protocol::Prepare prepare;
    prepare.id = kPrepareId;
    prepare.graph = model::canonical_graph(*job_.model).dump();
    const bool serialized = trial::is_serialized(job_.task, job_.settings.variant);
    (serialized ? prepare.serialized : prepare.weights) = job_.model_file;
    prepare.data = job_.data;
    if (!trial::infers(job_.task)) {
      prepare.order = job_.order;
    }
    prepare.settings = job_.settings;
    prepare.scratch = directory;
    const auto done = dialogue_->ask(prepare, [](const protocol::Event& event) -> Status {
      if (!std::holds_alternative<protocol::Progress>(event)) {
        return fail(ErrorKind::kInvalid, "reported results before it was asked to work");
      }
      return {};
    });
    if (!done) {
      return because(done.error());
    }
    if (done->parameters && *done->parameters != job_.model->parameter_count()) {
      return because(Failure{fmt::format("built a model of {} parameters, expected {}",
                                         *done->parameters,
                                         job_.model->parameter_count())});
    }
    for (const auto& [name, value] : done->effective) {
      set_effective(name, value);
    }
    effective_ = done->effective;
    return {};
  }

  Step<void> train(const std::filesystem::path& directory) {
    protocol::Train train{.id = kWorkId};
    if (job_.saves) {
      train.save = directory / "trained.safetensors";
    }
    const auto done = ask(train);
    if (!done) {
      return because(done.error());
    }
    if (const auto complete = account_.finish(*done); !complete) {
      return because(Failure{complete.error().to_string()});
    }
    // First, so that where parameters are, the outputs are.
    if (!job_.keep_outputs.empty()) {
      if (auto answered = answer(directory); !answered) {
        return answered;
      }
    }
    return train.save ? keep_parameters(*train.save) : Step<void>();
  }

  // What the trained model says, for others to be compared with. Its times are no measurement: the
  // worker has just trained.
  Step<void> answer(const std::filesystem::path& directory) {
    const protocol::Infer infer{kAnswerId, directory / "outputs.safetensors"};
    const auto done = dialogue_->ask(infer, [](const protocol::Event&) { return Status(); });
    return done ? keep_outputs(*infer.outputs) : Step<void>(because(done.error()));
  }

  Step<void> keep_outputs(const std::filesystem::path& path) {
    const auto hash = hash_outputs(path, *job_.model, job_.data.test_samples);
    if (!hash) {
      return because(Failure{"wrote wrong outputs: " + hash.error().to_string()});
    }
    record_.facts["outputs_sha256"] = *hash;
    if (!job_.expected.empty()) {
      if (const auto compared = compare_outputs(job_, path, record_); !compared) {
        return because(Failure{"cannot be compared: " + compared.error().to_string()});
      }
    }
    return job_.keep_outputs.empty() ? Step<void>() : move_file(path, job_.keep_outputs);
  }

  Step<void> judge(const std::filesystem::path& directory) {
    const auto built = model::with_forms(*job_.model, effective_);
    if (!built) {
      return because(Failure{"claims a form that there is not: " + built.error().to_string()});
    }
    return judge_steps(*dialogue_, job_, *built, directory, record_);
  }

  Step<void> keep_parameters(const std::filesystem::path& path) {
    const auto hash = hash_parameters(path, *job_.model);
    if (!hash) {
      return because(Failure{"saved wrong parameters: " + hash.error().to_string()});
    }
    record_.facts["parameters_sha256"] = *hash;
    return job_.keep.empty() ? Step<void>() : move_file(path, job_.keep);
  }

  Step<void> infer(const std::filesystem::path& directory) {
    const protocol::Infer infer{kWorkId, directory / "outputs.safetensors"};
    const auto done = ask(infer);
    if (!done) {
      return because(done.error());
    }
    if (const auto complete = account_.finish(*done); !complete) {
      return because(Failure{complete.error().to_string()});
    }
    return keep_outputs(*infer.outputs);
  }

  Step<protocol::Done> ask(const protocol::Request& request) {
    return dialogue_->ask(request, [this](const protocol::Event& event) { return note(event); });
  }

  Status note(const protocol::Event& event) {
    if (const auto* timings = std::get_if<protocol::Timings>(&event)) {
      return account_.add(*timings);
    }
    if (const auto* epoch = std::get_if<protocol::Epoch>(&event)) {
      on_progress_({epoch->epoch, job_.settings.epochs, 0, 0});
      return account_.add(*epoch);
    }
    if (const auto* progress = std::get_if<protocol::Progress>(&event)) {
      on_progress_({progress->epoch, job_.settings.epochs, progress->step, progress->steps});
    }
    return {};
  }

  void set_effective(const std::string& name, const std::string& value) {
    const auto found = std::ranges::find(record_.settings, name, &store::Setting::name);
    if (found != record_.settings.end()) {
      found->effective = value;
    } else {
      record_.settings.push_back({name, judge::form_of(*job_.model, name), value});
    }
  }

  void take(const process::Report& report) {
    record_.log = report.log;
    if (report.ending != process::Ending::kGuardLost) {
      record_.wall = report.usage.wall;
      record_.user = report.usage.user;
      record_.system = report.usage.system;
      record_.peak_memory = report.usage.peak_memory;
    }
  }

  std::optional<store::TrialRecord> conclude(const Setback& setback,
                                             const process::Report& report) {
    if (std::holds_alternative<Stopped>(setback)) {
      return std::nullopt;
    }
    if (const auto* lack = std::get_if<Lack>(&setback)) {
      record_.outcome = Outcome::kUnsupported;
      record_.reason = one_line(lack->feature);
      drop_measurements();
      return std::move(record_);
    }
    return failed(explain(std::get<Failure>(setback), report));
  }

  store::TrialRecord failed(const std::string& reason) {
    record_.outcome = Outcome::kFailed;
    record_.reason = one_line(reason);
    drop_measurements();
    return std::move(record_);
  }

  // Half a curve must not be taken for a result; the log has what there was.
  void drop_measurements() {
    record_.curve.clear();
    record_.series.clear();
    record_.facts.clear();
  }

  const TrialJob& job_;
  WorkerLauncher& launcher_;
  const StopSignal& stop_;
  const OnProgress& on_progress_;
  store::TrialRecord record_;
  Account account_;
  protocol::Texts effective_;  // what is not as requested
  std::unique_ptr<Worker> worker_;
  std::optional<Dialogue> dialogue_;
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
  if (!trial::infers(job.task)) {
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
                                            WorkerLauncher& launcher,
                                            const StopSignal& stop,
                                            const Clock& clock,
                                            const OnProgress& on_progress) {
  return TrialRun(job, launcher, stop, on_progress, blank_record(job, clock())).run();
}

}  // namespace crossbind::run
