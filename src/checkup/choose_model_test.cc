#include "checkup/exercise.h"
#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::checkup {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kModels = testing::source_path("models");

trial::Capabilities all() {
  return {.tasks = {trial::Task::kTrain},
          .devices = {"cpu"},
          .loaders = {trial::Loader::kResident},
          .variants = {trial::Variant::kStep},
          .measures = {trial::Measure::kTotal},
          .training_accuracies = {trial::TrainingAccuracy::kRunning},
          .layers = model::all_layer_types(),
          .losses = {"cross_entropy", "binary_cross_entropy", "span_cross_entropy"},
          .optimizers = {"sgd", "adam"}};
}

TEST(ChooseModel, TakesAReadyModelThatDrawsNothing) {
  const auto model = choose_model(all(), kModels).value();
  EXPECT_NE(model.id, "single");
  EXPECT_THAT(model::layer_types(model), Not(Contains("dropout")));
}

TEST(ChooseModel, TakesOneLayerForAWorkerThatHasNoMore) {
  auto able = all();
  able.layers = {"linear"};
  able.lacks = {"linear.bias=true"};
  const auto model = choose_model(able, kModels).value();
  EXPECT_THAT(model::layer_types(model), ElementsAre("linear"));
  EXPECT_EQ(model.parameters.size(), 1U);
}

TEST(ChooseModel, AsksForNoConventionThatTheWorkerHasInAnotherForm) {
  auto able = all();
  able.layers = {"linear"};
  able.optimizers = {"adam"};
  able.conventions = {{"adam.epsilon_form", "hat"}};
  EXPECT_THAT(model::features(choose_model(able, kModels).value()),
              Contains("adam.epsilon_form=hat"));
}

TEST(ChooseModel, NeedsNeitherLossNorOptimizerForInference) {
  auto able = all();
  able.tasks = {trial::Task::kInferParameters};
  able.losses = {};
  able.optimizers = {};
  EXPECT_THAT(choose_model(able, kModels), testing::is_ok());
}

TEST(ChooseModel, SaysWhenNothingCanBeTried) {
  auto able = all();
  able.layers = {"relu"};
  EXPECT_THAT(choose_model(able, kModels), testing::fails_with(HasSubstr("'linear'")));
}

TEST(PlainSettings, PreferTheCommonAndTakeWhatIsClaimed) {
  auto able = all();
  able.devices = {"cuda", "cpu"};
  able.loaders = {trial::Loader::kIdiomatic};
  able.measures = {trial::Measure::kParts};
  const auto settings = exercise_settings(able);
  EXPECT_EQ(settings.device, "cpu");
  EXPECT_EQ(settings.loader, trial::Loader::kIdiomatic);
  EXPECT_EQ(settings.measure, trial::Measure::kParts);
}

}  // namespace
}  // namespace crossbind::checkup
