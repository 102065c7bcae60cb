#include "trial/task.h"

#include <gtest/gtest.h>

namespace crossbind::trial {
namespace {

TEST(Tasks, HaveAWordEachThatIsReadBack) {
  for (const auto& [name, task] : kRecordedTasks) {
    EXPECT_EQ(word_of(task).name, name);
    EXPECT_EQ(name_in(kRecordedTasks, task), name);
    EXPECT_EQ(value_in(kRecordedTasks, name), task);
  }
}

TEST(Tasks, OfStudiesAreThoseThatPlansHave) {
  EXPECT_EQ(kTasks.size(), 4U);
  EXPECT_EQ(value_in(kTasks, "judge"), Task::kJudge);
  EXPECT_EQ(value_in(kTasks, "conform"), std::nullopt);
}

TEST(Tasks, OfWorkersAreThoseThatTheyClaim) {
  EXPECT_EQ(kWorkerTasks.size(), 3U);
  EXPECT_EQ(value_in(kWorkerTasks, "train"), Task::kTrain);
  EXPECT_EQ(value_in(kWorkerTasks, "infer-parameters"), Task::kInferParameters);
  EXPECT_EQ(value_in(kWorkerTasks, "infer-serialization"), Task::kInferSerialization);
  EXPECT_EQ(value_in(kWorkerTasks, "judge"), std::nullopt);
}

}  // namespace
}  // namespace crossbind::trial
