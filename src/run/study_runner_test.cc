#include "run/study_runner.h"

#include <sched.h>

#include <thread>

#include "data/get.h"
#include "plan/made_up.h"
#include "process/command.h"
#include "run/fakes.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using plan::Decision;
using protocol::Event;
using store::Outcome;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kStudy = R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp", "pytorch/rust"]
seeds = [1, 2]
tasks = ["train", "infer-parameters"]
[training]
epochs = 1
batch_size = 8
[inference]
weights = "reference/cpp"
[run]
time_limit_s = 9
memory_limit_mib = 100
[[models]]
model = "lenet1"
dataset = "glyphs-20-10"
)";

std::string text_of(const store::Axes& axes) {
  return fmt::format("{} {} {}", axes.binding, axes.task, axes.seed);
}

class RecordedWatch final : public RunWatch {
 public:
  void begins(size_t /*lane*/, size_t number, const store::Axes& axes) override {
    numbers.push_back(number);
    told.push_back("begins " + text_of(axes));
  }
  void goes_on(size_t /*lane*/, const TrialProgress& /*progress*/) override {}
  void ends(size_t /*lane*/, size_t /*number*/, const store::TrialSummary& trial) override {
    told.push_back("ends " + text_of(trial.axes));
  }
  void is_interrupted(size_t /*lane*/) override { told.emplace_back("interrupted"); }

  [[nodiscard]] ptrdiff_t place_of(const std::string& what) const {
    return std::ranges::find(told, what) - told.begin();
  }

  std::vector<std::string> told;
  std::vector<size_t> numbers;
};

// Takes so many trials and then no more.
class FullStore final : public store::ResultStore {
 public:
  explicit FullStore(size_t room) : room_(room) {}

  Result<store::StudyId> add_study(const store::StudyRecord& study) override {
    return inner_.add_study(study);
  }
  Status add_trial(const store::StudyId& study, const store::TrialRecord& trial) override {
    if (room_ == 0) {
      return fail(ErrorKind::kIo, "the disk is full");
    }
    --room_;
    return inner_.add_trial(study, trial);
  }
  Status link_trial(const store::StudyId& study, const std::string& identity) override {
    return inner_.link_trial(study, identity);
  }
  Status transact(const std::function<Status()>& work) override { return inner_.transact(work); }
  Result<std::vector<store::StoredStudy>> studies() const override { return inner_.studies(); }
  Result<std::vector<store::TrialSummary>> trials(
      const std::optional<store::StudyId>& study) const override {
    return inner_.trials(study);
  }
  Result<store::Outcomes> outcomes() const override { return inner_.outcomes(); }
  Result<std::optional<store::TrialRecord>> find_trial(const std::string& identity) const override {
    return inner_.find_trial(identity);
  }
  Status for_each_trial(const std::optional<store::StudyId>& study,
                        const Visitor& visit) const override {
    return inner_.for_each_trial(study, visit);
  }
  Result<std::vector<std::string>> check() const override { return inner_.check(); }

 private:
  store::MemoryStore inner_;
  size_t room_;
};

class StudyRunnerTest : public testing::ScratchTest {
 protected:
  StudyRunnerTest()
      : study_(plan::parsed_study(kStudy)),
        facts_(plan::made_up_facts(study_)),
        materials_(scratch("run"), scratch("cache")) {
    std::filesystem::create_directories(scratch("run"));
    SilentProgress progress;
    const data::Workshop workshop{scratch("cache"), process::run, progress, 1};
    EXPECT_THAT(
        data::get_dataset({data::find_dataset("glyphs-20-10").value(), {}, {}, false}, workshop),
        is_ok());
    for (const auto& binding : facts_.bindings) {
      commands_[binding.name] = {{"/toy"}, {}, {}};
      capabilities_[binding.name] = *binding.capabilities;
    }
    make_plan();
  }

  // Two bindings that infer from what a third one writes.
  void serialize() {
    study_.tasks = {trial::Task::kInferSerialization};
    study_.inference_weights.clear();
    study_.bindings = {"pytorch/rust", "pytorch/java"};
    facts_.bindings[2].capabilities->serializes = false;
    facts_.bindings.push_back({"pytorch/java", facts_.bindings[2].capabilities, "java", ""});
    facts_.bindings.push_back({"pytorch/python", plan::everything(), "python", ""});
    for (const auto& binding : facts_.bindings) {
      commands_[binding.name] = {{"/toy"}, {}, {}};
      capabilities_[binding.name] = *binding.capabilities;
    }
    make_plan();
  }

  void make_plan() { plan_ = plan::planned(study_, facts_); }

  [[nodiscard]] Result<RunSummary> run_in(store::ResultStore& store,
                                          WorkerLauncher& launcher,
                                          size_t jobs = 1,
                                          const std::string& text = kStudy) {
    return run_study(
        {study_, plan_, commands_, capabilities_, store, launcher, materials_, stop_, watch_},
        {jobs, text, {{"cpu", "a slow one"}}, [] {
           return store::Time(std::chrono::microseconds(1));
         }});
  }
  [[nodiscard]] RunSummary run(WorkerLauncher& launcher, size_t jobs = 1) {
    auto summary = run_in(store_, launcher, jobs);
    EXPECT_THAT(summary, is_ok());
    return summary.value_or(RunSummary{});
  }

  // What the store holds becomes what the next plan knows.
  void remember() {
    facts_.past.clear();
    const auto outcomes = store_.outcomes().value();
    for (const auto& [identity, past] : outcomes) {
      facts_.past.emplace(plan::parse_trial_id(identity).value(),
                          plan::Past{past.outcome == Outcome::kDone ? plan::PastState::kDone
                                                                    : plan::PastState::kFailed,
                                     past.reason});
    }
    facts_.parameters.clear();
    for (const auto& trial : plan_.trials) {
      if (std::filesystem::exists(materials_.trained(trial.id.to_string()))) {
        facts_.parameters.insert(trial.id);
      }
    }
    make_plan();
  }

  [[nodiscard]] std::vector<std::string> stored() const {
    std::vector<std::string> trials;
    const auto summaries = store_.trials({}).value();
    for (const auto& trial : summaries) {
      trials.push_back(fmt::format("{}: {}", text_of(trial.axes), store::name_of(trial.outcome)));
    }
    return trials;
  }

  [[nodiscard]] std::string identity_of(const plan::Wanted& wanted) const {
    return plan::find(study_, plan_, wanted).id.to_string();
  }

  // Well-behaved ones, but for reference/cpp, which fails to train.
  static Result<Script> unlucky(const std::string& binding) {
    Script script{.greeting = Heard(Event(made_up_hello(binding)))};
    if (binding == "reference/cpp") {
      script.answer = changed([](Answers& answers) {
        answers = {Event(protocol::Failed{2, protocol::FailureCode::kInternal, "no luck"})};
      });
    }
    return script;
  }

  spec::Study study_;
  plan::Facts facts_;
  plan::Plan plan_;
  std::map<std::string, WorkerCommand> commands_;
  std::map<std::string, trial::Capabilities> capabilities_;
  store::MemoryStore store_;
  Materials materials_;
  StopSignal stop_;
  RecordedWatch watch_;
};

TEST_F(StudyRunnerTest, RunsOneAfterTheOtherInTheOrderOfThePlan) {
  FakeLauncher launcher;
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.done, 8U);
  EXPECT_EQ(summary.failed + summary.unsupported + summary.not_run, 0U);
  EXPECT_THAT(watch_.numbers, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  std::vector<std::string> expected;
  for (const auto& trial : plan_.trials) {
    expected.push_back(trial.id.to_string());
  }
  std::vector<std::string> ran;
  const auto summaries = store_.trials({}).value();
  for (const auto& trial : summaries) {
    ran.push_back(trial.identity);
  }
  EXPECT_EQ(ran, expected);
  ASSERT_THAT(watch_.told, SizeIs(16));
  for (size_t i = 0; i < watch_.told.size(); i += 2) {
    EXPECT_EQ("begins" + watch_.told[i + 1].substr(4), watch_.told[i]);
  }
}

TEST_F(StudyRunnerTest, StoresTrialsUnderTheStudyWithTheHost) {
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

TEST_F(StudyRunnerTest, HandsOnTheLimitsOfTheStudy) {
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 8U);
  EXPECT_THAT(launcher.limits(),
              Each(AllOf(Field(&Limits::time, std::chrono::milliseconds(9000)),
                         Field(&Limits::memory, uint64_t{100} << 20),
                         Field(&Limits::threads, 1))));
}

TEST_F(StudyRunnerTest, InferencesWaitForTheTrainingWhoseParametersTheyNeed) {
  cpu_set_t cpus;
  ASSERT_EQ(::sched_getaffinity(0, sizeof cpus, &cpus), 0);
  if (CPU_COUNT(&cpus) < 2) {
    CROSSBIND_SKIP("two jobs", "there is one processor");
  }
  FakeLauncher slow(
      changed([](Answers&) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }));
  EXPECT_EQ(run(slow, 2).done, 8U);
  for (const uint32_t seed : {1U, 2U}) {
    const auto trained = watch_.place_of(fmt::format("ends reference/cpp train {}", seed));
    for (const std::string binding : {"reference/cpp", "pytorch/rust"}) {
      EXPECT_LT(trained,
                watch_.place_of(fmt::format("begins {} infer-parameters {}", binding, seed)));
    }
  }
  const auto limits = slow.limits();
  EXPECT_THAT(limits, Each(Field(&Limits::cpus, SizeIs(1))));
}

TEST_F(StudyRunnerTest, WithoutTheTrainingItsInferencesAreNotRunAndTheRestIs) {
  FakeLauncher launcher(unlucky);
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.done, 2U);
  EXPECT_EQ(summary.failed, 2U);
  EXPECT_EQ(summary.not_run, 4U);
  EXPECT_THAT(stored(),
              ::testing::UnorderedElementsAre("reference/cpp train 1: failed",
                                              "reference/cpp train 2: failed",
                                              "pytorch/rust train 1: done",
                                              "pytorch/rust train 2: done"));
  const auto failed = store_.find_trial(identity_of({})).value().value();
  EXPECT_EQ(failed.reason, "internal: no luck");
}

TEST_F(StudyRunnerTest, ModelsAreSerializedOnceForAllThatInferFromTheFile) {
  serialize();
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 4U);
  const auto log = launcher.log();
  EXPECT_EQ(std::ranges::count(log, "serialize"), 2);  // the parameters of two seeds
  EXPECT_EQ(std::ranges::count(log, "launch pytorch/python"), 2);
  EXPECT_EQ(std::ranges::count(log, "infer"), 4);
}

TEST_F(StudyRunnerTest, ATrainingOfASavedModelIsGivenTheFileAndNoWeights) {
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

TEST_F(StudyRunnerTest, AModelThatCannotBeSerializedFailsTheTrialsThatNeedIt) {
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

TEST_F(StudyRunnerTest, WhatAlreadyFailedIsReplacedByWhatCameOfTheRetry) {
  FakeLauncher first(unlucky);
  EXPECT_EQ(run(first).failed, 2U);
  facts_.retry_failed = true;
  remember();
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 6U);
  EXPECT_THAT(stored(), AllOf(SizeIs(8), Each(HasSubstr(": done"))));
}

TEST_F(StudyRunnerTest, WhatABindingLacksIsStoredWithoutAProcess) {
  auto& able = facts_.bindings[2];
  ASSERT_EQ(able.name, "pytorch/rust");
  std::erase(able.capabilities->layers, "conv2d");
  make_plan();
  FakeLauncher launcher;
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.unsupported, 4U);
  EXPECT_EQ(summary.done, 4U);
  EXPECT_THAT(launcher.log(), Not(Contains("launch pytorch/rust")));
  const auto trial = store_.find_trial(identity_of({.binding = "pytorch/rust"})).value().value();
  EXPECT_EQ(trial.outcome, Outcome::kUnsupported);
  EXPECT_EQ(trial.reason, "layer conv2d");
  // Nobody else has to know that another crossbind has stored it meanwhile.
  EXPECT_EQ(run(launcher).unsupported, 4U);
}

TEST_F(StudyRunnerTest, WhatAnotherStudyHasDoneBecomesPartOfThisOne) {
  FakeLauncher launcher;
  EXPECT_EQ(run(launcher).done, 8U);
  remember();
  EXPECT_EQ(trials_to_run(plan_), 0U);
  FakeLauncher idle;
  const auto summary = run_in(store_, idle, 1, "another text");
  ASSERT_THAT(summary, is_ok());
  EXPECT_EQ(summary->done, 0U);
  EXPECT_THAT(idle.log(), IsEmpty());
  EXPECT_THAT(store_.trials(store::id_of({"mine", "another text"})).value(), SizeIs(8));
}

TEST_F(StudyRunnerTest, ATrainingThatRunsAgainForItsParametersIsNotStoredAgain) {
  FakeLauncher launcher;
  facts_.only = {plan::parse_only("task=train").value()};
  make_plan();
  EXPECT_EQ(run(launcher).done, 4U);
  const auto before = store_.find_trial(identity_of({})).value().value();
  std::filesystem::remove_all(scratch("cache/trained"));
  facts_.only.clear();
  remember();
  ASSERT_EQ(plan::find(study_, plan_, {}).decision, Decision::kRunForParameters);
  EXPECT_EQ(run(launcher).done, 6U);
  EXPECT_EQ(store_.find_trial(identity_of({})).value().value(), before);
  EXPECT_THAT(stored(), AllOf(SizeIs(8), Each(HasSubstr(": done"))));
}

TEST_F(StudyRunnerTest, ATrialThatAnotherCrossbindStoredMeanwhileIsDone) {
  store::TrialRecord theirs;
  theirs.identity = identity_of({});
  theirs.log = "theirs";
  const auto study = store_.add_study({"theirs", "theirs"}).value();
  FakeLauncher launcher(changed([&](Answers&) {
    if (!store_.find_trial(theirs.identity).value()) {
      EXPECT_THAT(store_.add_trial(study, theirs), is_ok());
    }
  }));
  EXPECT_EQ(run(launcher).done, 8U);
  EXPECT_EQ(store_.find_trial(theirs.identity).value()->log, "theirs");
  EXPECT_THAT(store_.trials(store::id_of({"mine", kStudy})).value(), SizeIs(8));
}

TEST_F(StudyRunnerTest, EndsWithTheErrorOfTheStore) {
  FullStore full(3);
  FakeLauncher launcher;
  EXPECT_THAT(run_in(full, launcher), fails_with("the disk is full"));
  EXPECT_THAT(full.trials({}).value(), SizeIs(3));
  EXPECT_THAT(watch_.numbers, SizeIs(4));
}

TEST_F(StudyRunnerTest, EveryBindingIsComparedWithWhatEachOneThatTrainedSays) {
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

TEST_F(StudyRunnerTest, AModelThatIsOnlyTimedHasTimesAndNoScores) {
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

TEST_F(StudyRunnerTest, InfersWithWhatTheUserSupplies) {
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

TEST_F(StudyRunnerTest, StartsNothingMoreOnceItIsToStop) {
  size_t begun = 0;
  FakeLauncher launcher([&](const std::string& binding) -> Result<Script> {
    if (++begun == 2) {
      stop_.raise();
    }
    return Script{.greeting = Heard(Event(made_up_hello(binding)))};
  });
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.done, 2U);
  EXPECT_THAT(stored(), SizeIs(2));
  EXPECT_THAT(watch_.told, SizeIs(4));
}

TEST_F(StudyRunnerTest, AnInterruptedTrialIsNotStored) {
  size_t begun = 0;
  FakeLauncher launcher([&](const std::string& binding) -> Result<Script> {
    Script script{.greeting = Heard(Event(made_up_hello(binding)))};
    if (++begun == 2) {
      script.answer = changed([&](Answers& answers) {
        stop_.raise();
        answers = {Interrupted{}};
      });
    }
    return script;
  });
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.done, 1U);
  EXPECT_EQ(summary.not_run, 1U);
  EXPECT_EQ(watch_.told.back(), "interrupted");
  EXPECT_THAT(stored(), SizeIs(1));
  EXPECT_THAT(launcher.log(), Contains("cancel"));
}

TEST_F(StudyRunnerTest, ATrialWhoseMaterialIsMissingHasFailedWithTheReason) {
  std::filesystem::remove_all(scratch("cache/datasets"));
  FakeLauncher launcher;
  const RunSummary summary = run(launcher);
  EXPECT_EQ(summary.failed, 4U);
  EXPECT_EQ(summary.not_run, 4U);
  EXPECT_THAT(store_.find_trial(identity_of({})).value()->reason, HasSubstr("glyphs-20-10"));
  EXPECT_THAT(launcher.log(), IsEmpty());
}

TEST_F(StudyRunnerTest, MoreJobsThanProcessorsAreRefused) {
  FakeLauncher launcher;
  const auto summary = run_in(store_, launcher, 100'000);
  EXPECT_THAT(summary, fails_with(AllOf(HasSubstr("--jobs"), HasSubstr("need 100000 processors"))));
  EXPECT_THAT(store_.studies().value(), IsEmpty());
}

}  // namespace
}  // namespace crossbind::run
