#include "app/study_run.h"

#include "app/made_up.h"
#include "store/open.h"

namespace crossbind::app {
namespace {

using plan::Decision;
using ::testing::Each;
using testing::fails_with;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

class StudyRunTest : public MachineTest {
 protected:
  [[nodiscard]] StudyOnMachine found() const {
    SilentProgress silence;
    return look_up_study({.study = write_study("mine")}, MissingData::kGenerate, machine_, silence)
        .value();
  }
  [[nodiscard]] std::string store() const { return scratch("mine.db").string(); }
};

TEST_F(StudyRunTest, IsPlannedForAStoreThatIsMadeForIt) {
  add_ready_worker("cpp");
  auto study = found();
  const auto planned = plan_in_store(study, store(), machine_).value();
  EXPECT_THAT(planned.plan.trials, SizeIs(2));
  EXPECT_THAT(planned.plan.trials, Each(Field(&plan::Trial::decision, Decision::kRun)));
  EXPECT_TRUE(std::filesystem::exists(store()));
}

TEST_F(StudyRunTest, GoesOnWhereTheStoreEnds) {
  add_ready_worker("cpp");
  auto study = found();
  {
    const auto planned = plan_in_store(study, store(), machine_).value();
    store::TrialRecord trial;
    trial.identity = planned.plan.trials.front().id.to_string();
    const auto id = planned.store->add_study({"mine", study.text}).value();
    ASSERT_THAT(planned.store->add_trial(id, trial), is_ok());
  }
  auto again = found();
  const auto plan = plan_by_store(again, store(), machine_).value();
  EXPECT_EQ(plan.trials.front().decision, Decision::kDone);
  EXPECT_EQ(plan.trials.back().decision, Decision::kRun);
}

TEST_F(StudyRunTest, ThatCannotBePlannedLeavesNoStoreBehind) {
  auto study = found();
  EXPECT_THAT(plan_in_store(study, store(), machine_), fails_with(HasSubstr("toy/*")));
  EXPECT_FALSE(std::filesystem::exists(store()));
}

TEST_F(StudyRunTest, PlanningAloneMakesNoStore) {
  add_ready_worker("cpp");
  auto study = found();
  EXPECT_THAT(plan_by_store(study, store(), machine_), is_ok());
  EXPECT_FALSE(std::filesystem::exists(store()));
}

plan::Plan plan_of(const std::vector<Decision>& decisions) {
  plan::Plan plan;
  for (const Decision decision : decisions) {
    plan.trials.emplace_back().decision = decision;
  }
  return plan;
}

TEST(RunBalance, IsCompleteWhenNothingFailedAndAllCouldRun) {
  const auto balance =
      balance_of({.done = 1, .unsupported = 1},
                 plan_of({Decision::kRun, Decision::kRun, Decision::kDone, Decision::kExcluded}));
  EXPECT_EQ(balance.done_before, 1U);
  EXPECT_TRUE(balance.is_complete);
  EXPECT_FALSE(balance_of({.done = 1, .failed = 1}, plan_of({})).is_complete);
}

TEST(RunBalance, CountsWhatFailedBeforeAndWhatCouldNotRun) {
  const auto balance =
      balance_of({.done = 1, .not_run = 2}, plan_of({Decision::kFailed, Decision::kUnavailable}));
  EXPECT_EQ(balance.failed_before, 1U);
  EXPECT_EQ(balance.could_not_run, 3U);
  EXPECT_FALSE(balance.is_complete);
}

}  // namespace
}  // namespace crossbind::app
