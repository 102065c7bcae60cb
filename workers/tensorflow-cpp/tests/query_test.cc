// What a session answers to queries and to probes with dropout, and how it evaluates.
#include <gmock/gmock.h>

#include "native_session.h"
#include "session_cases.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

class TensorflowQueryTest : public testing::ScratchTest {
 protected:
  static Result<std::unique_ptr<Session>> open(const Job& job) {
    return NativeSession::open(job, 1);
  }
};

TEST_F(TensorflowQueryTest, AnswersWithOutputsAndGradients) {
  for (const model::Model& model : smooth_models()) {
    const Job job = made_up_job(model, scratch(""));
    expect_right_answers(*open(job).value(), job);
  }
}

TEST_F(TensorflowQueryTest, LeavesNoTrace) {
  const Job job = made_up_job(smooth_models().front(), scratch(""));
  expect_answers_without_a_trace(open, job, scratch(""));
}

TEST_F(TensorflowQueryTest, HasNoGradientsOfIntegers) {
  const Job job = made_up_job(
      made_up_model(
          R"({ name = "words", type = "embedding", kind = "token", entries = 5, width = 2 },
             { name = "last", type = "select_last" })",
          "tokens = { shape = [3], entries = 5 }"),
      scratch(""));
  const auto answer = open(job).value()->query(*job.testing, Gradients::kOfInputs);
  ASSERT_THAT(answer, testing::is_ok());
  EXPECT_THAT(answer->gradients, ::testing::IsEmpty());
  EXPECT_THAT(answer->outputs.shape(), ::testing::ElementsAre(job.testing->size, 2));
}

TEST_F(TensorflowQueryTest, HasNoGradientsOfLongRecurrentLayers) {
  const Job job = made_up_job(
      made_up_model(
          R"({ name = "r", type = "lstm", hidden = 2, biases = 1, recurrent_activation = "sigmoid" },
             { name = "last", type = "select_last" })",
          "x = { shape = [33, 2] }"),
      scratch(""));
  const auto session = open(job).value();
  EXPECT_THAT(session->query(*job.testing, Gradients::kNone), testing::is_ok());
  const auto refused = session->query(*job.testing, Gradients::kOfInputs);
  ASSERT_THAT(refused, testing::fails_with("while gradient"));
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
}

TEST_F(TensorflowQueryTest, DrawsDropoutInProbesThatWantIt) {
  expect_drawn_dropout(open, scratch(""));
}

TEST_F(TensorflowQueryTest, EvaluatesBothSplits) {
  for (const auto loader : {trial::Loader::kIdiomatic, trial::Loader::kResident}) {
    Job job = made_up_job(smooth_models().front(), scratch(""));
    job.settings.loader = loader;
    expect_evaluation_of_both_splits(*open(job).value(), job);
  }
}

}  // namespace
}  // namespace crossbind::worker
