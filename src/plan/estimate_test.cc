#include "plan/estimate.h"

#include "model/work.h"
#include "plan/made_up.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

constexpr double kRounding = 1e-9;  // of some hundred additions

class EstimateTest : public ::testing::Test {
 protected:
  // Seconds of a forward pass of one sample.
  [[nodiscard]] double of_sample(size_t model) const {
    const auto work = model::work_of(study_.models[model].model);
    return static_cast<double>(work.multiply_adds) / kMultiplyAdds +
           static_cast<double>(work.values) / kValues;
  }
  [[nodiscard]] double estimated() const {
    return estimate(study_, facts_, planned(study_, facts_)).to_run.count();
  }

  spec::Study study_ = made_up_study(R"(bindings = ["reference/cpp"])");
  Facts facts_ = made_up_facts(study_);
};

TEST_F(EstimateTest, AddsUpWhatGoesThroughTheModels) {
  study_.models.pop_back();
  study_.models[0].training_accuracy = trial::TrainingAccuracy::kEval;
  // 2,000 samples thrice, and two batches to warm up; both sets scored after each epoch.
  const double training = 3.0 * (3 * 2000 + 2 * 128) + 3 * (2000 + 500);
  const double inference = 500 + 2 * 128;
  EXPECT_NEAR(estimated(),
              2 * (2 * kStart.count() + (training + inference) * of_sample(0)),  // two seeds
              kRounding);
}

TEST_F(EstimateTest, HasOnlyWhatRuns) {
  const double before = estimated();
  EXPECT_GT(before, 0);
  facts_.bindings[0].unavailable = "not set up";
  EXPECT_EQ(estimated(), 0);
  EXPECT_EQ(estimate(study_, facts_, planned(study_, facts_)).unavailable.count(), before);
}

TEST_F(EstimateTest, KnowsNothingOfOtherDevices) {
  study_.devices = {"cuda"};
  EXPECT_EQ(estimated(), 0);
}

TEST_F(EstimateTest, OfStepsIsThatOfTheSteps) {
  study_.tasks = {trial::Task::kTrain};
  study_.inference_weights.clear();
  study_.seeds = {1};
  study_.models.pop_back();
  auto& entry = study_.models[0];
  entry.steps = 5;
  entry.train_samples = entry.test_samples = 500;
  entry.epochs = 1;
  EXPECT_NEAR(estimated(), kStart.count() + 3 * (500 + 2 * 128) * of_sample(0), kRounding);
  study_.run.threads = 2;
  EXPECT_NEAR(estimated(), kStart.count() + 3 * (500 + 2 * 128) * of_sample(0) / 2, kRounding);
}

}  // namespace
}  // namespace crossbind::plan
