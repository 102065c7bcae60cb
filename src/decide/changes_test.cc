#include "decide/changes.h"

#include "decide/made_up.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using ::testing::HasSubstr;

class ChangesTest : public ::testing::Test {
 protected:
  // What became of one trial; the baseline has further seeds of these accuracies.
  static std::optional<Change> change(const store::TrialRecord& before,
                                      const store::TrialRecord& now,
                                      const std::vector<double>& others = {}) {
    std::vector<store::TrialRecord> trials = {before};
    uint32_t seed = 100;
    for (const double accuracy : others) {
      auto other = before;
      other.axes.seed = ++seed;
      other.curve.back().test_accuracy = accuracy;
      trials.push_back(other);
    }
    const auto baseline = keep(store_of(trials)).value();
    const auto candidate = keep(store_of({now}, "b")).value();
    const auto& [treatment, kept] = *baseline.treatments.begin();
    return change_between(kept.at({before.axes.seed, 0}),
                          candidate.treatments.begin()->second.at({now.axes.seed, 0}),
                          AccuracyTolerance(treatment, kept));
  }

  static store::TrialRecord without_settings(store::TrialRecord trial) {
    trial.settings.clear();
    return trial;
  }
};

TEST_F(ChangesTest, ATrialThatNoLongerWorksIsOne) {
  const auto done = made_training("pytorch/rust", 1, 1);
  const auto found = change(done, made_failure(done, "killed by signal 9"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ChangeKind::kOutcome);
  EXPECT_EQ(found->what, "was done, is failed: killed by signal 9");
  EXPECT_FALSE(change(made_failure(done, "x"), done));
  EXPECT_FALSE(change(made_failure(done, "x"), made_failure(done, "y")));
}

TEST_F(ChangesTest, AStepThatPartsFromTheRefereeIsOne) {
  const auto right = made_judgement("pytorch/rust", 1);
  const auto wrong = made_judgement("pytorch/rust", 1, tasks::Ruling::kDiverges);
  const auto found = change(right, wrong);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ChangeKind::kRuling);
  EXPECT_THAT(found->what, HasSubstr("diverges at step 1, forward 'conv1.out'[3]"));
  EXPECT_FALSE(change(wrong, wrong));
  EXPECT_FALSE(change(wrong, right));
  auto silent = right;
  silent.facts.clear();
  EXPECT_TRUE(change(right, silent));
}

TEST_F(ChangesTest, AVerdictOfConformThatDivergesNowIsOne) {
  const auto right = made_verdict("pytorch/rust", tasks::ConformOutcome::kConvention);
  const auto wrong = made_verdict("pytorch/rust", tasks::ConformOutcome::kDiverges);
  const auto found = change(right, wrong);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ChangeKind::kRuling);
  EXPECT_THAT(found->what, HasSubstr("diverges at forward of probe, layer conv1"));
  EXPECT_FALSE(change(wrong, wrong));
}

// With 10,000 samples at 0.98, one standard error of a difference is 0.00198.
TEST_F(ChangesTest, AnAccuracyIsOneBeyondFourStandardErrors) {
  const auto before = made_training("pytorch/rust", 1, 1, 0.98);
  EXPECT_FALSE(change(before, made_training("pytorch/rust", 1, 1, 0.98)));
  EXPECT_FALSE(change(before, made_training("pytorch/rust", 1, 1, 0.973)));
  const auto found = change(before, made_training("pytorch/rust", 1, 1, 0.970));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ChangeKind::kAccuracy);
  EXPECT_THAT(found->what, HasSubstr("test accuracy was 0.9800, is 0.9700"));
  EXPECT_TRUE(change(before, made_training("pytorch/rust", 1, 1, 0.99)));
}

TEST_F(ChangesTest, AnAccuracyThatSeedsReachAnywayIsNone) {
  const auto before = made_training("pytorch/rust", 1, 1, 0.98);
  const auto now = made_training("pytorch/rust", 1, 1, 0.90);
  EXPECT_TRUE(change(before, now));
  EXPECT_TRUE(change(before, now, {0.89}));  // two seeds do not say how much seeds differ
  EXPECT_FALSE(change(before, now, {0.89, 0.97}));
}

TEST_F(ChangesTest, AnAccuracyOfUnknownWeightIsJudgedBySeedsOrNotAtAll) {
  const auto before = without_settings(made_training("pytorch/rust", 1, 1, 0.98));
  const auto now = without_settings(made_training("pytorch/rust", 1, 1, 0.5));
  EXPECT_FALSE(change(before, now));
  EXPECT_TRUE(change(before, now, {0.97, 0.975}));
}

TEST_F(ChangesTest, FewerScoredModelsAreOne) {
  auto before = made_inference("pytorch/rust", 1, 1);
  before.series[0].values = {0.98, 0.97};
  EXPECT_TRUE(change(before, made_inference("pytorch/rust", 1, 1)));
}

}  // namespace
}  // namespace crossbind::decide
