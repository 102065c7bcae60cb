#include "run/account.h"

#include "run/fakes.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using protocol::Done;
using protocol::Epoch;
using protocol::Phase;
using protocol::Timings;
using ::testing::ElementsAre;
using testing::fails_with;
using testing::is_ok;
using trial::Task;

// 20 training samples in batches of 8: 3 steps an epoch. 10 test samples: 2 batches.
class AccountTest : public ::testing::Test {
 protected:
  AccountTest() : training_(made_up_job(model_, Task::kTrain, "nowhere")), inference_(training_) {
    inference_.task = Task::kInferParameters;
  }

  static Timings timed(int64_t epoch) {
    return {.phase = Phase::kTrain, .epoch = epoch, .total_ns = 2'000'000'000};
  }
  static Timings timed_inference() { return {.phase = Phase::kInfer, .total_ns = 500'000'000}; }

  model::Model model_;
  TrialJob training_;
  TrialJob inference_;
  store::TrialRecord record_;
};

TEST_F(AccountTest, ACompleteTrainingIsTurnedIntoSeconds) {
  Account account(training_, record_);
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_THAT(account.add(timed(epoch)), is_ok());
    ASSERT_THAT(account.add(Epoch{2, epoch, 0.5, std::nullopt, 1.0}), is_ok());
  }
  EXPECT_THAT(account.finish(Done{.steps = 6}), is_ok());
  EXPECT_THAT(
      record_.series,
      ElementsAre(store::Series{"train.epoch", 1, {2.0}}, store::Series{"train.epoch", 2, {2.0}}));
  EXPECT_THAT(record_.curve,
              ElementsAre(store::EpochPoint{1, 0.5, std::nullopt, 1.0},
                          store::EpochPoint{2, 0.5, std::nullopt, 1.0}));
}

TEST_F(AccountTest, WhereOnlyTimesAreWantedScoresAreAskedForAndNotKept) {
  training_.times_only = inference_.times_only = true;
  training_.settings.epochs = 1;
  Account account(training_, record_);
  ASSERT_THAT(account.add(timed(1)), is_ok());
  ASSERT_THAT(account.add(Epoch{2, 1, 0.5, 0.7, 1.0}), is_ok());
  EXPECT_THAT(account.finish(Done{.steps = 3}), is_ok());
  EXPECT_THAT(record_.curve, ElementsAre(store::EpochPoint{1, 0.5, std::nullopt, std::nullopt}));
  record_ = {};
  Account other(inference_, record_);
  ASSERT_THAT(other.add(timed_inference()), is_ok());
  EXPECT_THAT(other.finish(Done{.samples = 10, .accuracy = 0.5}), is_ok());
  EXPECT_THAT(record_.series, ElementsAre(store::Series{"infer.total", 0, {0.5}}));
}

TEST_F(AccountTest, PartsMustBeThereForEveryStep) {
  training_.settings.measure = trial::Measure::kParts;
  Timings timings = timed(1);
  timings.load_ns = {1, 2, 3};
  timings.forward_ns = {4, 5, 6};
  timings.backward_ns = {7, 8};
  EXPECT_THAT(Account(training_, record_).add(timings),
              fails_with("was to time the parts of 3 steps, but timed 3 loads, 3 forwards, 2 "
                         "backwards"));
  record_ = {};
  timings.backward_ns.push_back(9);
  EXPECT_THAT(Account(training_, record_).add(timings), is_ok());
  ASSERT_EQ(record_.series.size(), 4U);
  EXPECT_EQ(record_.series[3], (store::Series{"train.backward", 1, {7e-9, 8e-9, 9e-9}}));
}

TEST_F(AccountTest, AnInferenceHasNoBackwardPart) {
  inference_.settings.measure = trial::Measure::kParts;
  Timings timings = timed_inference();
  timings.load_ns = {1, 2};
  timings.forward_ns = {3, 4};
  Account account(inference_, record_);
  EXPECT_THAT(account.add(timings), is_ok());
  EXPECT_THAT(account.finish(Done{.samples = 10, .accuracy = 0.5}), is_ok());
  EXPECT_EQ(record_.series.size(), 4U);
}

TEST_F(AccountTest, PartsThatNobodyAskedForAreNotKept) {
  Timings timings = timed(1);
  timings.load_ns = {1, 2, 3};
  EXPECT_THAT(Account(training_, record_).add(timings), is_ok());
  EXPECT_THAT(record_.series, ElementsAre(store::Series{"train.epoch", 1, {2.0}}));
}

TEST_F(AccountTest, EverythingIsTimedOnce) {
  const Timings warmup{.phase = Phase::kWarmup, .steps_ns = {1}};
  Account training(training_, record_);
  ASSERT_THAT(training.add(warmup), is_ok());
  EXPECT_THAT(training.add(warmup), fails_with("timed its warm-up twice"));
  ASSERT_THAT(training.add(timed(1)), is_ok());
  EXPECT_THAT(training.add(timed(1)), fails_with("timed epoch 1 after epoch 1"));
  Account inference(inference_, record_);
  ASSERT_THAT(inference.add(timed_inference()), is_ok());
  ASSERT_THAT(inference.add(timed_inference()), is_ok());
  EXPECT_THAT(inference.finish(Done{.samples = 10, .accuracy = 0.5}),
              fails_with("reported 2 timings, expected 1"));
}

TEST_F(AccountTest, OnlyWhatTheTaskIsAboutHasAPlace) {
  EXPECT_THAT(Account(training_, record_).add(timed_inference()),
              fails_with("timed an inference when it was to train"));
  EXPECT_THAT(Account(inference_, record_).add(timed(1)),
              fails_with("timed a training when it was to infer"));
  EXPECT_THAT(Account(inference_, record_).add(Epoch{2, 1, 0.5, 0.5, 0.5}),
              fails_with("reported an epoch when it was to infer"));
}

TEST_F(AccountTest, SharesAreFromZeroToOne) {
  Account account(training_, record_);
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, -0.1, 0.5}), fails_with(::testing::_));
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, 0.5, 1.01}), fails_with(::testing::_));
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, 0.0, 1.0}), is_ok());
  Account inference(inference_, record_);
  ASSERT_THAT(inference.add(timed_inference()), is_ok());
  EXPECT_THAT(inference.finish(Done{.samples = 10, .accuracy = 1.5}),
              fails_with("reported no accuracy from 0 to 1"));
}

TEST_F(AccountTest, NumbersThatAreMissingAreSaidToBe) {
  Account account(training_, record_);
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_THAT(account.add(timed(epoch)), is_ok());
    ASSERT_THAT(account.add(Epoch{2, epoch, 0.5, 0.5, 0.5}), is_ok());
  }
  EXPECT_THAT(account.finish(Done{}), fails_with("did an unknown number of steps, expected 6"));
}

}  // namespace
}  // namespace crossbind::run
