#include "app/compared_answers.h"

#include "tasks/measured.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

tasks::Inferred inferred(double differing, double accuracy) {
  tasks::Inferred inferred;
  inferred.test.accuracy = {accuracy};
  inferred.test.expected = {0.5};
  inferred.answers.differing = {differing};
  inferred.answers.output_difference = {3e-7};
  inferred.outputs_sha256 = "aa";
  inferred.expected_outputs_sha256 = "bb";
  return inferred;
}

store::TrialRecord trial_of(const tasks::Inferred& inferred) {
  store::TrialRecord trial;
  trial.axes.task = name_in(trial::kTasks, trial::Task::kInferParameters);
  tasks::write(inferred, trial);
  return trial;
}

TEST(ComparedAnswers, AreIdenticalWhenEveryOutputIs) {
  auto identical = inferred(0, 0.5);
  identical.outputs_sha256 = "bb";
  EXPECT_EQ(compared_answers(trial_of(identical)).sameness, Sameness::kIdentical);
}

TEST(ComparedAnswers, AreCloseWhenEveryPredictionIsTheSame) {
  const auto answers = compared_answers(trial_of(inferred(0, 0.5)));
  EXPECT_EQ(answers.sameness, Sameness::kClose);
  EXPECT_EQ(answers.output_difference, 3e-7);
}

TEST(ComparedAnswers, DifferByAPredictionOrByTheAccuracy) {
  auto differing = inferred(2, 0.5);
  differing.answers.margins = {0.001, 0.25};
  const auto answers = compared_answers(trial_of(differing));
  EXPECT_EQ(answers.sameness, Sameness::kDiffers);
  EXPECT_EQ(answers.smallest_margin, 0.001);
  EXPECT_EQ(answers.largest_margin, 0.25);
  const auto worse = compared_answers(trial_of(inferred(0, 0.498)));
  EXPECT_EQ(worse.sameness, Sameness::kDiffers);
  EXPECT_NEAR(worse.accuracy_change(), -0.002, 1e-15) << "one subtraction of doubles";
}

TEST(ComparedAnswers, ThatAreNotThereSayWhy) {
  store::TrialRecord trial;
  trial.outcome = store::Outcome::kUnsupported;
  trial.reason = "layer gru";
  EXPECT_EQ(compared_answers(trial).sameness, Sameness::kUnsupported);
  EXPECT_EQ(compared_answers(trial).reason, "layer gru");
  trial.outcome = store::Outcome::kFailed;
  EXPECT_EQ(compared_answers(trial).sameness, Sameness::kFailed);
  auto unmatched = inferred(0, 0.5);
  unmatched.answers = {};
  const auto alone = compared_answers(trial_of(unmatched));
  EXPECT_EQ(alone.sameness, Sameness::kNotRun);
  EXPECT_EQ(alone.reason, "it was not compared with anything");
  EXPECT_EQ(alone.accuracy, 0.5);
}

}  // namespace
}  // namespace crossbind::app
