#include "app/kept_verdicts.h"

#include "store/memory_store.h"
#include "tasks/conform/study.h"
#include "tasks/measured.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

class KeptVerdictsTest : public ::testing::Test {
 protected:
  KeptVerdictsTest() {
    conform::Participant rust;
    rust.name = "toy/rust";
    rust.build = "b1";
    participants_ = {rust};
    model::Model lenet;
    lenet.id = "lenet1";
    questions_.models = {lenet};
    questions_.seeds = {1, 2};
    conform::Verdict verdict;
    verdict.binding = "toy/rust";
    verdict.model = "lenet1";
    verdict.outcome = conform::Outcome::kRounding;
    verdict.ratio = 0.25;
    report_.verdicts = {verdict};
    report_.versions = {{"toy/rust", {{"toy", "1.0"}}}};
  }

  [[nodiscard]] Result<KeptVerdicts> keep() {
    return keep_verdicts(report_, participants_, questions_, {{}, {{"cpu", "slow"}}}, store_);
  }

  [[nodiscard]] std::vector<store::TrialRecord> trials() const {
    std::vector<store::TrialRecord> all;
    EXPECT_THAT(store_.for_each_trial(std::nullopt,
                                      [&](const store::TrialRecord& trial) -> Status {
                                        all.push_back(trial);
                                        return {};
                                      }),
                is_ok());
    return all;
  }

  std::vector<conform::Participant> participants_;
  conform::Questions questions_;
  conform::Conformance report_;
  store::MemoryStore store_;
};

TEST_F(KeptVerdictsTest, ItsStudyIsKnownAsOneOfVerdicts) {
  ASSERT_THAT(keep(), is_ok());
  ASSERT_THAT(store_.studies().value(), SizeIs(1));
  EXPECT_TRUE(tasks::may_hold_verdicts(store_.studies().value()[0].record));
  EXPECT_FALSE(tasks::may_hold_verdicts({"quick", ""}));
}

TEST_F(KeptVerdictsTest, AVerdictIsATrialThatComesBackWhole) {
  const auto kept = keep();
  ASSERT_THAT(kept, is_ok());
  EXPECT_EQ(kept->added, 1U);
  ASSERT_THAT(trials(), SizeIs(1));
  const auto trial = trials().front();
  EXPECT_EQ(trial.axes.binding, "toy/rust");
  EXPECT_EQ(trial.axes.model, "lenet1");
  EXPECT_EQ(trial.axes.task, "conform");
  EXPECT_EQ(trial.axes.device, "cpu");
  EXPECT_EQ(trial.worker, (store::Environment{{"toy", "1.0"}}));
  EXPECT_EQ(trial.host, (store::Environment{{"cpu", "slow"}}));
  EXPECT_THAT(trial.settings, Contains(store::Setting{"seeds", "1 2", "1 2"}));
  const auto read = tasks::read(trial);
  ASSERT_THAT(read, is_ok());
  EXPECT_EQ(std::get<tasks::Conformed>(*read), tasks::Conformed(report_.verdicts[0]));
}

TEST_F(KeptVerdictsTest, TheStudysTextIsWhatWasAsked) {
  ASSERT_THAT(keep(), is_ok());
  const auto studies = store_.studies();
  ASSERT_THAT(studies, is_ok());
  ASSERT_THAT(*studies, SizeIs(1));
  EXPECT_EQ(studies->front().record.name, "conform");
  EXPECT_THAT(studies->front().record.text, HasSubstr("seeds = [1, 2]\n"));
  EXPECT_THAT(studies->front().record.text, HasSubstr("models = [\"lenet1\"]\n"));
}

TEST_F(KeptVerdictsTest, TheSameAgainLeavesWhatIsThere) {
  ASSERT_THAT(keep(), is_ok());
  report_.verdicts[0].ratio = 0.5;
  const auto again = keep();
  ASSERT_THAT(again, is_ok());
  EXPECT_EQ(again->already_there, 1U);
  EXPECT_EQ(again->added, 0U);
  EXPECT_EQ(std::get<tasks::Conformed>(*tasks::read(trials().front())).ratio, 0.25);
}

TEST_F(KeptVerdictsTest, WhatHadFailedIsReplaced) {
  auto& verdict = report_.verdicts[0];
  const auto good = verdict;
  verdict.outcome = conform::Outcome::kFailed;
  verdict.reason = "probe: it died";
  ASSERT_THAT(keep(), is_ok());
  EXPECT_EQ(trials().front().outcome, store::Outcome::kFailed);
  EXPECT_EQ(trials().front().reason, "probe: it died");
  verdict = good;
  ASSERT_THAT(keep(), is_ok());
  ASSERT_THAT(trials(), SizeIs(1));
  EXPECT_EQ(trials().front().outcome, store::Outcome::kDone);
}

TEST_F(KeptVerdictsTest, AnotherBuildModelOrQuestionIsAnotherTrial) {
  const auto identity = [&] {
    return conform_identity(participants_, 0, questions_.models[0], questions_);
  };
  std::vector<std::string> all = {identity()};
  const auto expect_new = [&] {
    EXPECT_THAT(all, ::testing::Not(Contains(identity())));
    all.push_back(identity());
  };
  participants_[0].build = "b2";
  expect_new();
  participants_[0].candidate.device = "cuda";
  expect_new();
  participants_[0].known = {{.model = "lenet1", .why = "old"}};
  expect_new();
  questions_.steps = 7;
  expect_new();
  questions_.seeds = {3};
  expect_new();
  questions_.is_full = true;
  expect_new();
  questions_.models[0].batch = 17;
  expect_new();
}

}  // namespace
}  // namespace crossbind::app
