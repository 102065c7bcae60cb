#include "tasks/rules.h"

#include <gtest/gtest.h>

namespace crossbind::tasks {
namespace {

using trial::Task;

TEST(Rules, ATaskThatFeedsOthersTrains) {
  for (const auto& [name, task] : trial::kRecordedTasks) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(!rules_of(task).feeds_others || rules_of(task).takes_steps);
  }
}

TEST(Rules, ATaskEitherTakesWeightsOrMakesThem) {
  for (const auto& [name, task] : trial::kRecordedTasks) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(rules_of(task).feeds_others && rules_of(task).axes.weights);
  }
}

TEST(Rules, WhoTrainsAndSavesFeedsOthers) {
  trial::Capabilities able;
  able.tasks = {Task::kTrain};
  EXPECT_FALSE(trains_and_saves(able));
  able.saves = true;
  EXPECT_TRUE(trains_and_saves(able));
  able.tasks = {Task::kInferParameters};
  EXPECT_FALSE(trains_and_saves(able));
}

TEST(Rules, ASavedModelIsSerializedWhateverTheTask) {
  for (const auto& [name, task] : trial::kRecordedTasks) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(is_serialized(task, trial::Variant::kSavedModel));
    EXPECT_EQ(is_serialized(task, trial::Variant::kStep), rules_of(task).takes_file);
  }
}

constexpr Workload kWork = {
    .train = 1000, .test = 100, .epochs = 5, .batch = 10, .warmup_steps = 2};

TEST(Rules, TrainingGoesThroughEveryEpochAndScoresAsOftenAsAsked) {
  const auto samples = rules_of(Task::kTrain).samples;
  constexpr double kLearned = (5 * 1000 + 2 * 10) * kForwardAndBackward;
  EXPECT_EQ(samples(kWork), kLearned + 5 * 100);
  Workload work = kWork;
  work.evaluate = trial::Evaluate::kLast;
  EXPECT_EQ(samples(work), kLearned + 100);
  work.training_accuracy = trial::TrainingAccuracy::kEval;
  EXPECT_EQ(samples(work), kLearned + 100 + 5 * 1000);
  work.times_only = true;
  EXPECT_EQ(samples(work), kLearned);
}

TEST(Rules, InferenceGoesThroughTheTestSetOnce) {
  EXPECT_EQ(rules_of(Task::kInferParameters).samples(kWork), 100 + 2 * 10);
  EXPECT_EQ(rules_of(Task::kInferSerialization).samples(kWork), 100 + 2 * 10);
}

TEST(Rules, JudgingCostsAFewStepsWhateverTheStudyAsksFor) {
  const auto samples = rules_of(Task::kJudge).samples;
  Workload work = kWork;
  work.epochs = 200;
  EXPECT_EQ(samples(work), samples(kWork));
}

}  // namespace
}  // namespace crossbind::tasks
