#include "tasks/infer/account.h"

#include "tasks/made_up_assignment.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using protocol::Done;
using protocol::Epoch;
using protocol::Phase;
using protocol::Timings;
using ::testing::ElementsAre;
using testing::fails_with;
using testing::is_ok;

constexpr int64_t kHalfASecond = 500'000'000;

// 10 test samples in batches of 8: 2 batches.
class InferenceAccountTest : public ::testing::Test {
 protected:
  InferenceAccountTest()
      : job_(made_up_assignment(model_, trial::Task::kInferParameters, "nowhere")),
        account_(job_) {}

  [[nodiscard]] Result<Inferred> finish(const Done& done) {
    return std::move(account_).finish(done);
  }

  static Timings timed() { return {.phase = Phase::kInfer, .total_ns = kHalfASecond}; }

  model::Model model_;
  Assignment job_;
  InferenceAccount account_;
};

const Done kDone{.samples = 10, .accuracy = 0.25};

TEST_F(InferenceAccountTest, ACompleteInferenceHasItsTimeAndItsScore) {
  ASSERT_THAT(account_.add(timed()), is_ok());
  const auto inferred = finish(kDone);
  ASSERT_THAT(inferred, is_ok());
  EXPECT_EQ(*inferred, (Inferred{.test = {.seconds = {0.5}, .accuracy = {0.25}}}));
}

TEST_F(InferenceAccountTest, WhereOnlyTimesAreWantedTheScoreIsAskedForAndNotKept) {
  job_.times_only = true;
  ASSERT_THAT(account_.add(timed()), is_ok());
  EXPECT_EQ(finish(kDone).value(), (Inferred{.test = {.seconds = {0.5}}}));
}

TEST_F(InferenceAccountTest, HasNoBackwardPart) {
  job_.settings.measure = trial::Measure::kParts;
  Timings timings = timed();
  timings.load_ns = {1, 2};
  EXPECT_THAT(account_.add(timings),
              fails_with("was to time the parts of 2 steps, but timed 2 loads, 0 forwards, 0 "
                         "backwards"));
  timings.forward_ns = {3, 4};
  ASSERT_THAT(account_.add(timings), is_ok());
  EXPECT_EQ(finish(kDone).value().parts, (PartTimes{{1e-9, 2e-9}, {3e-9, 4e-9}, {}}));
}

TEST_F(InferenceAccountTest, EverythingIsTimedOnce) {
  const Timings warmup{.phase = Phase::kWarmup, .steps_ns = {1}};
  ASSERT_THAT(account_.add(warmup), is_ok());
  EXPECT_THAT(account_.add(warmup), fails_with("timed its warm-up twice"));
  ASSERT_THAT(account_.add(timed()), is_ok());
  ASSERT_THAT(account_.add(timed()), is_ok());
  EXPECT_THAT(finish(kDone), fails_with("reported 2 timings, expected 1"));
}

TEST_F(InferenceAccountTest, HasNoPlaceForATraining) {
  EXPECT_THAT(account_.add(Timings{.phase = Phase::kTrain, .epoch = 1, .total_ns = kHalfASecond}),
              fails_with("timed a training when it was to infer"));
  EXPECT_THAT(account_.add(Epoch{2, 1, 0.5, 0.5, 0.5}),
              fails_with("reported an epoch when it was to infer"));
}

TEST_F(InferenceAccountTest, TheAccuracyIsAShare) {
  ASSERT_THAT(account_.add(timed()), is_ok());
  EXPECT_THAT(finish(Done{.samples = 10, .accuracy = 1.5}),
              fails_with("reported no accuracy from 0 to 1"));
}

TEST_F(InferenceAccountTest, NumbersThatAreMissingAreSaidToBe) {
  ASSERT_THAT(account_.add(timed()), is_ok());
  EXPECT_THAT(finish(Done{.accuracy = 0.5}),
              fails_with("answered an unknown number of samples, expected 10"));
}

}  // namespace
}  // namespace crossbind::tasks
