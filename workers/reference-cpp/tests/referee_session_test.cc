#include "referee_session.h"

#include <gmock/gmock.h>

#include "session_cases.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

class RefereeSessionTest : public testing::ScratchTest {
 protected:
  static Result<std::unique_ptr<Session>> open(const Job& job) { return RefereeSession::open(job); }
};

TEST_F(RefereeSessionTest, AnswersQueriesWithOutputsAndGradients) {
  for (const model::Model& model : smooth_models()) {
    const Job job = made_up_job(model, scratch(""));
    expect_right_answers(*open(job).value(), job);
  }
}

TEST_F(RefereeSessionTest, LeavesNoTraceOfQueries) {
  const Job job = made_up_job(smooth_models().front(), scratch(""));
  expect_answers_without_a_trace(open, job, scratch(""));
}

TEST_F(RefereeSessionTest, DrawsDropoutInProbesThatWantIt) {
  expect_drawn_dropout(open, scratch(""));
}

TEST_F(RefereeSessionTest, EvaluatesBothSplits) {
  for (const model::Model& model : smooth_models()) {
    const Job job = made_up_job(model, scratch(""));
    expect_evaluation_of_both_splits(*open(job).value(), job);
  }
}

}  // namespace
}  // namespace crossbind::worker
