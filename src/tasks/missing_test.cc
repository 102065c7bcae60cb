#include "tasks/missing.h"

#include <gtest/gtest.h>

#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using trial::Capabilities;
using trial::Loader;
using trial::Measure;
using trial::Settings;
using trial::Task;
using trial::TrainingAccuracy;
using trial::Variant;

model::Model ready_model(const std::string& id) {
  auto model = model::find_model(id, testing::source_path("models"), model::Geometry::kFull);
  EXPECT_THAT(model, testing::is_ok());
  return std::move(*model);
}

// A worker that can do all that the model asks for.
Capabilities capable_of(const model::Model& model) {
  Capabilities able;
  able.tasks = {Task::kTrain, Task::kInferParameters};
  able.devices = {"cpu"};
  able.loaders = {Loader::kResident};
  able.variants = {Variant::kStep};
  able.measures = {Measure::kTotal};
  able.training_accuracies = {TrainingAccuracy::kRunning};
  able.layers = model::layer_types(model);
  able.losses = {std::string(model::loss_type(model))};
  able.optimizers = {std::string(model::optimizer_type(model))};
  return able;
}

TEST(Missing, IsNothingWhenTheWorkerHasItAll) {
  const model::Model gru = ready_model("gru");
  EXPECT_EQ(missing_feature(capable_of(gru), gru, Task::kTrain, Settings{}), std::nullopt);
}

TEST(Missing, NamesTheFirstThingThatIsMissing) {
  const model::Model gru = ready_model("gru");
  const Capabilities able = capable_of(gru);
  EXPECT_EQ(missing_feature(able, gru, Task::kInferSerialization, Settings{}),
            "task infer-serialization");
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, Settings{.device = "cuda"}), "device cuda");
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, Settings{.loader = Loader::kIdiomatic}),
            "loader idiomatic");
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, Settings{.variant = Variant::kFit}),
            "variant fit");
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, Settings{.measure = Measure::kParts}),
            "measure parts");
  Capabilities less = able;
  std::erase(less.layers, "gru");
  EXPECT_EQ(missing_feature(less, gru, Task::kTrain, Settings{}), "layer gru");
  less = able;
  less.optimizers = {"lion"};
  EXPECT_EQ(missing_feature(less, gru, Task::kTrain, Settings{}),
            "optimizer " + std::string(model::optimizer_type(gru)));
}

TEST(Missing, TrainingNeedsDoNotStopInference) {
  const model::Model gru = ready_model("gru");
  Capabilities able = capable_of(gru);
  able.losses.clear();
  able.optimizers.clear();
  able.training_accuracies.clear();
  EXPECT_EQ(missing_feature(able, gru, Task::kInferParameters, Settings{}), std::nullopt);
}

TEST(Missing, AFormThatTheBindingLacksIsNamed) {
  const model::Model grurb = ready_model("grurb");
  Capabilities able = capable_of(grurb);
  able.lacks = {"gru.reset_after=false"};
  EXPECT_EQ(missing_feature(able, grurb, Task::kTrain, Settings{}), "gru.reset_after=false");
  able.tasks.push_back(Task::kInferSerialization);
  EXPECT_EQ(missing_feature(able, grurb, Task::kInferSerialization, Settings{}), std::nullopt);
}

TEST(Missing, AGraphNeedsTheGpuAndResidentDataAndHasNoParts) {
  const model::Model gru = ready_model("gru");
  Capabilities able = capable_of(gru);
  able.devices.emplace_back("cuda");
  able.loaders.push_back(Loader::kIdiomatic);
  able.measures.push_back(Measure::kParts);
  Settings settings{.device = "cuda", .variant = Variant::kGraph};
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings), "variant graph");
  able.variants.push_back(Variant::kGraph);
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings), std::nullopt);
  settings.measure = Measure::kParts;
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings), "measure parts of variant graph");
  settings.measure = Measure::kTotal;
  settings.loader = Loader::kIdiomatic;
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings),
            "variant graph with loader idiomatic");
  settings.device = "cpu";
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings), "variant graph on device cpu");
}

TEST(Missing, ASavedModelIsTrainedWhateverItsLayers) {
  const model::Model gru = ready_model("gru");
  Capabilities able = capable_of(gru);
  able.layers.clear();
  able.variants.push_back(Variant::kSavedModel);
  Settings settings;
  settings.variant = Variant::kSavedModel;
  EXPECT_EQ(missing_feature(able, gru, Task::kTrain, settings), std::nullopt);
  EXPECT_EQ(missing_feature(able, gru, Task::kInferParameters, settings),
            "variant savedmodel without a serialized model");
}

TEST(Missing, WhoeverTrainsAndProbesCanBeJudged) {
  const model::Model gru = ready_model("gru");
  Capabilities able = capable_of(gru);
  EXPECT_EQ(missing_feature(able, gru, Task::kJudge, Settings{}), "probe gradients");
  able.probe = trial::ProbeLevel::kGradients;
  EXPECT_EQ(missing_feature(able, gru, Task::kJudge, Settings{}), std::nullopt);
  able.tasks = {Task::kInferParameters};
  EXPECT_EQ(missing_feature(able, gru, Task::kJudge, Settings{}), "task train");
}

}  // namespace
}  // namespace crossbind::tasks
