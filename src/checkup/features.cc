#include "checkup/features.h"

#include "checkup/inference.h"
#include "model/features.h"
#include "tasks/missing.h"
#include "tasks/rules.h"

namespace crossbind::checkup {
namespace {

using trial::Task;

// One family: its model is built, trained and inferred with in one worker.
class FamilyTrial {
 public:
  FamilyTrial(const Candidate& candidate, const Facilities& facilities, const Family& family)
      : candidate_(candidate),
        family_(family),
        examination_(candidate, facilities) {
    models_ = facilities.models;
    folder_ = facilities.scratch / family.name;
  }

  [[nodiscard]] std::vector<Tried> run() {
    std::vector<Tried> attempts;
    attempts.reserve(trial::kWorkerTasks.size());
    const Status prepared = prepare();
    for (const auto& task : trial::kWorkerTasks) {
      attempts.push_back(prepared ? attempt(task.value) : failed(task.value, prepared.error()));
    }
    return attempts;
  }

 private:
  Status prepare() {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    CB_ASSIGN(auto model,
              model::find_model(std::string(family_.model), models_, model::Geometry::kConform));
    CB_ASSIGN(exercise_,
              Exercise::make(std::move(model), exercise_settings(*candidate_.declared), folder_));
    CB_ASSIGN(expectation_, expectation_of(*exercise_));
    return {};
  }

  [[nodiscard]] Tried failed(Task task, const Error& error) const {
    return {family_.name, task, Experience::kFails, error.message};
  }

  Tried attempt(Task task) {
    if (const auto lack = lacking(task)) {
      return {family_.name, task, Experience::kLacks, *lack};
    }
    const Status done = work(task);
    return done ? Tried{family_.name, task, Experience::kWorks, {}} : failed(task, done.error());
  }

  Status work(Task task) {
    switch (task) {
      case Task::kTrain:
        return train();
      case Task::kInferParameters:
      case Task::kInferSerialization:
        return infer_by(task);
      case Task::kJudge:
      case Task::kConform:
        break;
    }
    return fail(ErrorKind::kUnsupported,
                "no worker claims the task '{}'",
                name_in(trial::kRecordedTasks, task));
  }

  [[nodiscard]] std::optional<std::string> lacking(Task task) const {
    const auto& model = exercise_->model();
    auto lack = tasks::missing_feature(*candidate_.declared, model, task, exercise_->settings());
    if (lack || !tasks::rules_of(task).takes_file) {
      return lack;
    }
    const auto& serializer = candidate_.serializer;
    if (!serializer) {
      return "no ready binding of its framework serializes models";
    }
    lack = tasks::missing_of_graph(serializer->able, model, tasks::rules_of(task).takes_steps);
    return lack ? std::optional(fmt::format("serialized by {}: {}", serializer->binding, *lack))
                : std::nullopt;
  }

  Status train() {
    CB_ASSIGN(auto* worker, examination_.prepared(exercise_->prepare()));
    CB_ASSIGN(const Answer answer, worker->ask(protocol::Train{}));
    CB_TRY(expect_done(answer));
    const auto epochs = answer.all<protocol::Epoch>();
    if (epochs.size() != static_cast<size_t>(kEpochs)) {
      return wrong("expected {} epochs, came {}", kEpochs, epochs.size());
    }
    return {};
  }

  Status infer_by(Task task) {
    protocol::Prepare prepare = exercise_->prepare();
    if (tasks::rules_of(task).takes_file) {
      CB_ASSIGN(prepare.serialized, examination_.serialized(*exercise_, *candidate_.serializer));
      prepare.format = candidate_.serializer->format;
      prepare.weights.reset();
    }
    CB_ASSIGN(auto* worker, examination_.prepared(prepare));
    CB_ASSIGN(const Inference inference, infer(*worker, *exercise_));
    return near(inference.outputs, expectation_->outputs);
  }

  const Candidate& candidate_;
  const Family& family_;
  Examination examination_;
  std::filesystem::path models_;
  std::filesystem::path folder_;
  std::optional<Exercise> exercise_;
  std::optional<Expectation> expectation_;
};

}  // namespace

std::vector<Tried> try_features(const Candidate& candidate, const Facilities& facilities) {
  std::vector<Tried> attempts;
  for (const Family& family : kFamilies) {
    const auto some = FamilyTrial(candidate, facilities, family).run();
    attempts.insert(attempts.end(), some.begin(), some.end());
  }
  return attempts;
}

}  // namespace crossbind::checkup
