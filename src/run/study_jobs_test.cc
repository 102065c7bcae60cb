// What workers are handed, and what of it is stored with the trial.
#include "run/study_jobs.h"

#include <mutex>
#include <set>

#include "converse/fakes.h"
#include "run/study_fixture.h"

namespace crossbind::run {
namespace {

using converse::Answer;
using converse::Answers;
using converse::FakeLauncher;
using converse::Heard;
using converse::made_up_hello;
using converse::Script;
using converse::well_behaved;
using place::Limits;
using protocol::Event;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StudyJobsTest : public StudyFixture {
 protected:
  // Two bindings that infer from what a third one writes.
  void serialize() {
    study_.tasks = {trial::Task::kInferSerialization};
    study_.inference_weights.clear();
    study_.bindings = {"pytorch/rust", "pytorch/java"};
    facts_.bindings[2].capabilities->writes.clear();
    facts_.bindings.push_back({"pytorch/java", facts_.bindings[2].capabilities, "java", ""});
    facts_.bindings.push_back({"pytorch/python", plan::everything(), "python", ""});
    make_ready();
    make_plan();
  }
};

TEST_F(StudyJobsTest, StoresTrialsUnderTheStudyWithTheHost) {
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 8U);
  EXPECT_THAT(store_.trials(store::id_of({"mine", kStudy})).value(), SizeIs(8));
  const auto trial = store_.find_trial(identity_of({.binding = "pytorch/rust"})).value().value();
  EXPECT_EQ(trial.host, (store::Environment{{"cpu", "a slow one"}}));
  EXPECT_EQ(trial.axes.binding, "pytorch/rust");
  EXPECT_EQ(trial.axes.dataset, "glyphs-20-10");
  EXPECT_EQ(trial.axes.weights, "");
  const auto inference =
      store_.find_trial(identity_of({.task = trial::Task::kInferParameters})).value().value();
  EXPECT_EQ(inference.axes.weights, "reference/cpp");
}

TEST_F(StudyJobsTest, HandsOnTheLimitsOfTheStudy) {
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 8U);
  EXPECT_THAT(launcher.limits(),
              Each(AllOf(Field(&Limits::time, std::chrono::milliseconds(9000)),
                         Field(&Limits::memory, uint64_t{100} << 20),
                         Field(&Limits::threads, 1))));
}

TEST_F(StudyJobsTest, ModelsAreSerializedOnceForAllThatInferFromTheFile) {
  serialize();
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 4U);
  const auto log = launcher.log();
  EXPECT_EQ(std::ranges::count(log, "serialize"), 2);  // the parameters of two seeds
  EXPECT_EQ(std::ranges::count(log, "launch pytorch/python"), 2);
  EXPECT_EQ(std::ranges::count(log, "infer"), 4);
}

TEST_F(StudyJobsTest, ATrainingOfASavedModelIsGivenTheFileAndNoWeights) {
  serialize();
  study_.tasks = {trial::Task::kTrain};
  study_.variants = {trial::Variant::kSavedModel};
  make_plan();
  std::mutex mutex;
  std::vector<std::string> prepared;
  FakeLauncher launcher([&](const std::string& binding) -> Result<Script> {
    Script script{.greeting = Heard(Event(made_up_hello(binding)))};
    script.answer = [&, binding, answer = script.answer](const protocol::Request& request) {
      const std::scoped_lock lock(mutex);
      if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
        prepared.push_back(fmt::format("{} {}", binding, prepare->serialized ? "file" : "weights"));
      }
      if (const auto* serialize = std::get_if<protocol::Serialize>(&request)) {
        EXPECT_TRUE(serialize->training);
      }
      return answer(request);
    };
    return script;
  });
  EXPECT_EQ(run(launcher).done, 4U);
  EXPECT_EQ(std::ranges::count(prepared, "pytorch/python weights"), 2);
  EXPECT_EQ(std::ranges::count(prepared, "pytorch/rust file"), 2);
  EXPECT_EQ(std::ranges::count(prepared, "pytorch/java file"), 2);
}

TEST_F(StudyJobsTest, AModelThatCannotBeSerializedFailsTheTrialsThatNeedIt) {
  serialize();
  FakeLauncher launcher([](const std::string& binding) -> Result<Script> {
    Script script{.greeting = Heard(Event(made_up_hello(binding)))};
    if (binding == "pytorch/python") {
      script.answer = [](const protocol::Request&) -> Answers {
        return {Event(protocol::Failed{1, protocol::FailureCode::kOutOfMemory, "too large"})};
      };
    }
    return script;
  });
  EXPECT_EQ(run(launcher).failed, 4U);
  const auto trial = store_
                         .find_trial(identity_of(
                             {.binding = "pytorch/rust", .task = trial::Task::kInferSerialization}))
                         .value()
                         .value();
  EXPECT_EQ(trial.reason, "pytorch/python could not serialize the model: out_of_memory: too large");
}

TEST_F(StudyJobsTest, EveryBindingIsComparedWithWhatEachOneThatTrainedSays) {
  study_.inference_weights = {"*"};
  study_.seeds = {1};
  make_plan();
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 6U);  // two trainings, four inferences
  EXPECT_EQ(std::ranges::count(launcher.log(), "infer"), 6);
  std::vector<std::string> pairs;
  const auto status = store_.for_each_trial({}, [&](const store::TrialRecord& trial) -> Status {
    if (trial.axes.task != "train") {
      pairs.push_back(trial.axes.binding + " from " + trial.axes.weights);
      EXPECT_THAT(trial.series, Contains(store::Series{"infer.differing", 0, {0}}));
      EXPECT_EQ(trial.facts.at("outputs_sha256"), trial.facts.at("expected_outputs_sha256"));
    }
    return {};
  });
  EXPECT_THAT(status, is_ok());
  EXPECT_THAT(pairs,
              ::testing::UnorderedElementsAre("reference/cpp from reference/cpp",
                                              "reference/cpp from pytorch/rust",
                                              "pytorch/rust from reference/cpp",
                                              "pytorch/rust from pytorch/rust"));
  remember();
  EXPECT_EQ(trials_to_run(plan_), 0U);
}

TEST_F(StudyJobsTest, AModelThatIsOnlyTimedHasTimesAndNoScores) {
  auto& entry = study_.models[0];
  entry.steps = 2;
  entry.train_samples = 16;
  entry.epochs = 1;
  entry.shuffle = false;
  study_.seeds = {1};
  make_plan();
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 4U);
  const auto trained = store_.find_trial(identity_of({})).value().value();
  EXPECT_THAT(trained.settings, Contains(store::Setting{"scores", "false", "false"}));
  EXPECT_THAT(trained.settings, Contains(store::Setting{"shuffle", "false", "false"}));
  EXPECT_EQ(trained.curve.at(0).test_accuracy, std::nullopt);
  const auto inferred =
      store_.find_trial(identity_of({.task = trial::Task::kInferParameters})).value().value();
  EXPECT_EQ(inferred.axes.weights, "initial");
  EXPECT_THAT(inferred.series, SizeIs(1));
}

TEST_F(StudyJobsTest, InfersWithWhatTheUserSupplies) {
  study_.models[0].parameters = "mine";
  facts_.supplied["mine"] = {"0a1b", ""};
  study_.tasks = {trial::Task::kInferParameters};
  study_.inference_weights.clear();
  make_plan();
  std::set<std::filesystem::path> weights;
  const Answer answer = well_behaved();
  FakeLauncher launcher([&](const protocol::Request& request) {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      weights.insert(prepare->weights.value());
    }
    return answer(request);
  });
  EXPECT_EQ(run(launcher).done, 4U);
  EXPECT_THAT(weights, ElementsAre(scratch("cache/parameters/mine.safetensors")));
}

TEST_F(StudyJobsTest, ATrialWhoseMaterialIsMissingHasFailedWithTheReason) {
  std::filesystem::remove_all(scratch("cache/datasets"));
  FakeLauncher launcher;
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.failed, 4U);
  EXPECT_EQ(summary.not_run, 4U);
  EXPECT_THAT(store_.find_trial(identity_of({})).value()->reason, HasSubstr("glyphs-20-10"));
  EXPECT_THAT(launcher.log(), IsEmpty());
}

}  // namespace
}  // namespace crossbind::run
