#include "app/study_facts.h"

#include "app/made_up.h"
#include "plan/plan.h"
#include "run/materials.h"
#include "store/memory_store.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StudyFactsTest : public MachineTest {
 protected:
  [[nodiscard]] Result<StudyOnMachine> look_up(PlanOptions options,
                                               MissingData missing = MissingData::kLeave) const {
    if (options.study.empty()) {
      options.study = write_study("mine");
    }
    SilentProgress silence;
    return look_up_study(options, missing, machine_, silence);
  }
};

TEST_F(StudyFactsTest, KeepTheStudyAndTheTextThatItWasReadFrom) {
  const auto found = look_up({}).value();
  EXPECT_EQ(found.study.name, "mine");
  EXPECT_EQ(found.text, read_file(scratch("mine.toml")).value());
}

TEST_F(StudyFactsTest, FindAModelBesideTheStudy) {
  std::filesystem::create_directories(scratch("there"));
  std::filesystem::copy_file(machine_.models / "lenet1.toml", scratch("there/mine.toml"));
  ASSERT_THAT(write_file(scratch("there/study.toml"),
                         "name = \"mine\"\ntitle = \"Mine\"\nbindings = [\"toy/*\"]\nseeds = [1]\n"
                         "tasks = [\"train\"]\ntraining = { epochs = 1 }\n"
                         "[[models]]\nmodel = \"mine.toml\"\ndataset = \"glyphs-20-10\"\n"),
              is_ok());
  const auto found = look_up({.study = scratch("there/study.toml").string()});
  ASSERT_THAT(found, is_ok());
  EXPECT_EQ(found->study.models.front().model.id, "lenet1");
}

TEST_F(StudyFactsTest, SayOfEachBindingWhetherItIsReadyAndWhatMendsThat) {
  add_ready_worker("cpp");
  add_other_worker("go");
  const auto facts = look_up({}).value().facts;
  ASSERT_THAT(facts.bindings, SizeIs(2));
  EXPECT_EQ(facts.bindings[0].name, "toy/cpp");
  EXPECT_EQ(facts.bindings[0].unavailable, "");
  EXPECT_EQ(facts.bindings[0].build.size(), 64U);
  EXPECT_THAT(facts.bindings[1].unavailable, HasSubstr("crossbind setup toy/go"));
}

TEST_F(StudyFactsTest, SayThatARunMakesTheDigitsThatAreMissing) {
  const auto facts = look_up({}).value().facts;
  ASSERT_THAT(facts.datasets, SizeIs(1));
  EXPECT_EQ(facts.datasets[0].sha256, "");
  EXPECT_EQ(facts.datasets[0].train, 20);
  EXPECT_THAT(facts.datasets[0].made_first, HasSubstr("crossbind run makes it"));
  EXPECT_EQ(facts.datasets[0].unavailable, "");
}

TEST_F(StudyFactsTest, HaveTheDigitsThatWereMadeForThem) {
  const auto facts = look_up({}, MissingData::kGenerate).value().facts;
  EXPECT_EQ(facts.datasets[0].sha256.size(), 64U);
  EXPECT_EQ(facts.datasets[0].test, 10);
  EXPECT_EQ(facts.datasets[0].made_first, "");
}

TEST_F(StudyFactsTest, OfParametersThatTheUserHasNotSuppliedSayWhereTheyGo) {
  ASSERT_THAT(write_file(scratch("supplied.toml"),
                         "name = \"mine\"\ntitle = \"Mine\"\nbindings = [\"toy/*\"]\nseeds = [1]\n"
                         "tasks = [\"infer-parameters\"]\n"
                         "[[models]]\nmodel = \"lenet1\"\ndataset = \"glyphs-20-10\"\n"
                         "parameters = \"lab\"\n"),
              is_ok());
  const auto found = look_up({.study = scratch("supplied.toml").string()});
  ASSERT_THAT(found, is_ok());
  ASSERT_THAT(found->facts.supplied, SizeIs(1));
  EXPECT_THAT(
      found->facts.supplied.at("lab").unavailable,
      AllOf(HasSubstr("the parameters 'lab' are the user's"), HasSubstr(machine_.cache.string())));
}

TEST_F(StudyFactsTest, HoldTheUsersWishes) {
  const auto facts = look_up({.study = {}, .only = {"seed=1"}, .retry_failed = true}).value().facts;
  EXPECT_TRUE(facts.retry_failed);
  EXPECT_THAT(facts.only, SizeIs(1));
  EXPECT_THAT(look_up({.study = {}, .only = {"sede=1"}}), fails_with(HasSubstr("sede")));
  EXPECT_THAT(look_up({.study = "nobody"}), fails_with(HasSubstr("there is no study 'nobody'")));
}

TEST_F(StudyFactsTest, KnowHowTrialsOfAStoreEnded) {
  const std::string done(32, 'a');
  const std::string failed(32, 'b');
  const std::string unsupported(32, 'c');
  store::MemoryStore store;
  const auto id = store.add_study({"mine", "text"}).value();
  const auto add = [&](const std::string& identity, store::Outcome outcome) {
    store::TrialRecord trial;
    trial.identity = identity;
    trial.outcome = outcome;
    trial.reason = outcome == store::Outcome::kDone ? "" : "why";
    ASSERT_THAT(store.add_trial(id, trial), is_ok());
  };
  add(done, store::Outcome::kDone);
  add(failed, store::Outcome::kFailed);
  add(unsupported, store::Outcome::kUnsupported);
  plan::Facts facts;
  ASSERT_THAT(add_past(store, machine_.cache, facts), is_ok());
  ASSERT_THAT(facts.past, SizeIs(3));
  const auto past = [&](const std::string& identity) {
    return facts.past.at(plan::parse_trial_id(identity).value());
  };
  EXPECT_EQ(past(done).state, plan::PastState::kDone);
  EXPECT_EQ(past(failed).state, plan::PastState::kFailed);
  EXPECT_EQ(past(failed).reason, "why");
  EXPECT_EQ(past(unsupported).state, plan::PastState::kUnsupported);
  EXPECT_THAT(facts.parameters, IsEmpty());
}

TEST_F(StudyFactsTest, KnowWhoseParametersAreStillThere) {
  const std::string whole(32, 'a');
  const std::string half(32, 'b');
  const run::Materials materials({}, machine_.cache);
  for (const auto& path :
       {materials.trained(whole), materials.trained_outputs(whole), materials.trained(half)}) {
    ASSERT_THAT(write_file(path, "anything"), is_ok());
  }
  plan::Facts facts;
  ASSERT_THAT(add_past(store::MemoryStore(), machine_.cache, facts), is_ok());
  EXPECT_THAT(facts.parameters, ElementsAre(plan::parse_trial_id(whole).value()))
      << "parameters without what their binding answered with them are of no use";
}

}  // namespace
}  // namespace crossbind::app
