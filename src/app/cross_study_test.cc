#include "app/cross_study.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using trial::Task;

Result<model::Model> find_model(const std::string& name, model::Geometry geometry) {
  return model::find_model(name, testing::source_path("models"), geometry);
}

workers::Binding binding(const std::string& framework,
                         const std::string& language,
                         std::vector<Task> tasks) {
  workers::Binding binding;
  binding.framework = framework;
  binding.name = framework + "/" + language;
  binding.manifest.emplace();
  binding.manifest->capabilities.saves = tasks.front() == Task::kTrain;
  binding.manifest->capabilities.tasks = std::move(tasks);
  return binding;
}

workers::Binding reference() {
  return binding("reference", "cpp", {Task::kTrain, Task::kInferParameters});
}
workers::Binding torch_python() {
  return binding(
      "pytorch", "python", {Task::kTrain, Task::kInferParameters, Task::kInferSerialization});
}
workers::Binding torch_script() {
  return binding("pytorch", "javascript", {Task::kInferSerialization});
}

spec::Study study_of(const CrossQuestion& question, const std::vector<workers::Binding>& bindings) {
  const auto text = cross_study(question, bindings, find_model);
  EXPECT_THAT(text, is_ok());
  const auto study = spec::parse_study(text.value_or(""), "cross", find_model);
  EXPECT_THAT(study, is_ok()) << text.value_or("");
  return study.value_or(spec::Study{});
}

TEST(CrossStudy, OfTheReferenceHasBothLeNetsOnDigitsAndNoSerialization) {
  const auto study = study_of({}, {reference()});
  EXPECT_THAT(study.tasks, ElementsAre(Task::kTrain, Task::kInferParameters));
  EXPECT_THAT(study.inference_weights, ElementsAre("*"));
  EXPECT_THAT(study.exceptions, IsEmpty());
  ASSERT_THAT(study.models, SizeIs(2));
  EXPECT_EQ(study.models[0].model.dataset, "glyphs-2000-500");
  EXPECT_EQ(study.models[0].test_samples, std::nullopt);
  EXPECT_EQ(study.models[0].epochs, 3);
}

TEST(CrossStudy, RunsOnTheDeviceThatIsAskedFor) {
  EXPECT_THAT(study_of({}, {reference()}).devices, ElementsAre("cpu"));
  const auto on_gpu = study_of({.device = "cuda"}, {reference()});
  EXPECT_THAT(on_gpu.devices, ElementsAre("cuda"));
  EXPECT_EQ(on_gpu.run.memory_limit_mib, 32768);
}

TEST(CrossStudy, KeepsSerializedModelsWithinTheirFramework) {
  const auto study = study_of({}, {reference(), torch_python(), torch_script()});
  EXPECT_THAT(study.tasks, SizeIs(3));
  ASSERT_THAT(study.exceptions, SizeIs(2));
  EXPECT_EQ(study.exceptions[0][spec::Axis::kBinding], "pytorch/*");
  EXPECT_EQ(study.exceptions[0][spec::Axis::kWeights], "reference/*");
  EXPECT_EQ(study.exceptions[1][spec::Axis::kBinding], "reference/*");
  EXPECT_EQ(study.exceptions[1][spec::Axis::kTask], "infer-serialization");
  EXPECT_FALSE(trains_and_saves(torch_script()));
}

TEST(CrossStudy, ScoresLargeModelsOnASubsetUnlessAskedForAll) {
  CrossQuestion question{.models = {"vgg16", "lenet5"}, .epochs = 1, .train_samples = 512};
  auto study = study_of(question, {reference()});
  EXPECT_EQ(study.models[0].test_samples, kTestSubset);
  EXPECT_EQ(study.models[0].train_samples, 512);
  EXPECT_EQ(study.models[0].model.dataset, "cifar10");
  EXPECT_EQ(study.models[1].test_samples, std::nullopt);
  question.whole = true;
  EXPECT_EQ(study_of(question, {reference()}).models[0].test_samples, std::nullopt);
}

TEST(CrossStudy, RefusesWhatThereIsNot) {
  EXPECT_THAT(cross_study({.models = {"lenet9"}}, {reference()}, find_model),
              fails_with(HasSubstr("lenet9")));
  EXPECT_THAT(cross_study({.models = {"lenet5"}, .dataset = "minst"}, {reference()}, find_model),
              fails_with(HasSubstr("Did you mean 'mnist'?")));
}

class LookUpCrossTest : public MachineTest {
 protected:
  [[nodiscard]] Result<StudyOnMachine> look_up(const std::vector<std::string>& bindings) const {
    SilentProgress silence;
    return look_up_cross({.models = {"lenet1"}, .dataset = "glyphs-20-10"},
                         bindings,
                         {.retry_failed = true},
                         machine_,
                         silence);
  }
};

TEST_F(LookUpCrossTest, IsOfTheBindingsThatAreReady) {
  add_ready_worker("cpp");
  add_other_worker("go");
  add_ready_worker("rust");
  const auto found = look_up({}).value();
  EXPECT_THAT(found.study.bindings, ElementsAre("toy/cpp", "toy/rust"));
  EXPECT_THAT(found.bindings, SizeIs(3)) << "the facts are of all";
  EXPECT_TRUE(found.facts.retry_failed);
  EXPECT_EQ(found.facts.datasets.front().made_first, "") << "digits are generated";
  EXPECT_THAT(look_up({"*/rust"})->study.bindings, ElementsAre("toy/rust"));
}

TEST_F(LookUpCrossTest, NeedsOneThatTrainsAndSaves) {
  add_other_worker("go");
  EXPECT_THAT(look_up({}), fails_with(HasSubstr("none of the bindings trains and saves")));
  EXPECT_THAT(look_up({"toy/go"}), fails_with(HasSubstr("toy/go is not ready")));
}

}  // namespace
}  // namespace crossbind::app
