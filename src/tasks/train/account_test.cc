#include "tasks/train/account.h"

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

// 20 training samples in batches of 8: 3 steps an epoch, for 2 epochs.
class TrainingAccountTest : public ::testing::Test {
 protected:
  TrainingAccountTest() : job_(made_up_assignment(model_, trial::Task::kTrain, "nowhere")) {}

  static Timings timed(int64_t epoch) {
    return {.phase = Phase::kTrain, .epoch = epoch, .total_ns = 2'000'000'000};
  }

  // What one epoch comes to.
  [[nodiscard]] Result<Trained> train_once(const Timings& timings, const Epoch& epoch) {
    job_.settings.epochs = 1;
    TrainingAccount account(job_);
    CB_TRY(account.add(timings));
    CB_TRY(account.add(epoch));
    return std::move(account).finish(Done{.steps = 3});
  }

  model::Model model_;
  Assignment job_;
};

constexpr Epoch kEpoch{2, 1, 0.5, 0.7, 1.0};

TEST_F(TrainingAccountTest, ACompleteTrainingIsTurnedIntoSeconds) {
  TrainingAccount account(job_);
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_THAT(account.add(timed(epoch)), is_ok());
    ASSERT_THAT(account.add(Epoch{2, epoch, 0.5, std::nullopt, 1.0}), is_ok());
  }
  const auto trained = std::move(account).finish(Done{.steps = 6});
  ASSERT_THAT(trained, is_ok());
  EXPECT_THAT(trained->epochs, ElementsAre(TimedEpoch{1, 2.0, {}}, TimedEpoch{2, 2.0, {}}));
  EXPECT_THAT(trained->curve,
              ElementsAre(store::EpochPoint{1, 0.5, std::nullopt, 1.0},
                          store::EpochPoint{2, 0.5, std::nullopt, 1.0}));
}

TEST_F(TrainingAccountTest, WhereOnlyTimesAreWantedScoresAreAskedForAndNotKept) {
  job_.times_only = true;
  const auto trained = train_once(timed(1), kEpoch);
  ASSERT_THAT(trained, is_ok());
  EXPECT_THAT(trained->curve, ElementsAre(store::EpochPoint{1, 0.5, std::nullopt, std::nullopt}));
}

TEST_F(TrainingAccountTest, PartsMustBeThereForEveryStep) {
  job_.settings.measure = trial::Measure::kParts;
  Timings timings = timed(1);
  timings.load_ns = {1, 2, 3};
  timings.forward_ns = {4, 5, 6};
  timings.backward_ns = {7, 8};
  EXPECT_THAT(TrainingAccount(job_).add(timings),
              fails_with("was to time the parts of 3 steps, but timed 3 loads, 3 forwards, 2 "
                         "backwards"));
  timings.backward_ns.push_back(9);
  const auto trained = train_once(timings, kEpoch);
  ASSERT_THAT(trained, is_ok());
  EXPECT_EQ(trained->epochs.at(0).parts,
            (PartTimes{{1e-9, 2e-9, 3e-9}, {4e-9, 5e-9, 6e-9}, {7e-9, 8e-9, 9e-9}}));
}

TEST_F(TrainingAccountTest, PartsThatNobodyAskedForAreNotKept) {
  Timings timings = timed(1);
  timings.load_ns = {1, 2, 3};
  const auto trained = train_once(timings, kEpoch);
  ASSERT_THAT(trained, is_ok());
  EXPECT_THAT(trained->epochs, ElementsAre(TimedEpoch{1, 2.0, {}}));
}

TEST_F(TrainingAccountTest, EverythingIsTimedOnce) {
  const Timings warmup{.phase = Phase::kWarmup, .steps_ns = {1}};
  TrainingAccount account(job_);
  ASSERT_THAT(account.add(warmup), is_ok());
  EXPECT_THAT(account.add(warmup), fails_with("timed its warm-up twice"));
  ASSERT_THAT(account.add(timed(1)), is_ok());
  EXPECT_THAT(account.add(timed(1)), fails_with("timed epoch 1 after epoch 1"));
}

TEST_F(TrainingAccountTest, HasNoPlaceForAnInference) {
  EXPECT_THAT(TrainingAccount(job_).add(Timings{.phase = Phase::kInfer, .total_ns = 500'000'000}),
              fails_with("timed an inference when it was to train"));
}

TEST_F(TrainingAccountTest, SharesAreFromZeroToOne) {
  TrainingAccount account(job_);
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, -0.1, 0.5}), fails_with(::testing::_));
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, 0.5, 1.01}), fails_with(::testing::_));
  EXPECT_THAT(account.add(Epoch{2, 1, 0.5, 0.0, 1.0}), is_ok());
}

TEST_F(TrainingAccountTest, NumbersThatAreMissingAreSaidToBe) {
  TrainingAccount account(job_);
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_THAT(account.add(timed(epoch)), is_ok());
    ASSERT_THAT(account.add(Epoch{2, epoch, 0.5, 0.5, 0.5}), is_ok());
  }
  EXPECT_THAT(std::move(account).finish(Done{}),
              fails_with("did an unknown number of steps, expected 6"));
}

}  // namespace
}  // namespace crossbind::tasks
