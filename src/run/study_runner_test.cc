// In which order trials run, what becomes of those that do not end well, and what is stored.
#include "run/study_runner.h"

#include <sched.h>

#include <thread>

#include "converse/fakes.h"
#include "run/study_fixture.h"

namespace crossbind::run {
namespace {

using converse::Answers;
using converse::changed;
using converse::FakeLauncher;
using converse::Heard;
using converse::Interrupted;
using converse::made_up_hello;
using converse::Script;
using place::Limits;
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

class StudyRunnerTest : public StudyFixture {};

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

// Well-behaved ones, but for reference/cpp, which fails to train.
Result<Script> unlucky(const std::string& binding) {
  Script script{.greeting = Heard(Event(made_up_hello(binding)))};
  if (binding == "reference/cpp") {
    script.answer = changed([](Answers& answers) {
      answers = {Event(protocol::Failed{2, protocol::FailureCode::kInternal, "no luck"})};
    });
  }
  return script;
}

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

TEST_F(StudyRunnerTest, MoreJobsThanProcessorsAreRefused) {
  FakeLauncher launcher;
  const auto summary = run_in(store_, launcher, 100'000);
  EXPECT_THAT(summary, fails_with(AllOf(HasSubstr("--jobs"), HasSubstr("need 100000 processors"))));
  EXPECT_THAT(store_.studies().value(), IsEmpty());
}

}  // namespace
}  // namespace crossbind::run
