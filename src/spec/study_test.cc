#include "spec/study.h"

#include "spec/parsed.h"
#include "testing/testing.h"

namespace crossbind::spec {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;

const std::string kModels = testing::source_path("models");
const std::string kStudies = testing::source_path("studies");

TEST(Study, FillsInWhatIsNotSaid) {
  const auto study = parsed(R"(name = "mine"
title = "Mine"
bindings = ["pytorch/*"]
seeds = [4294967295]
tasks = ["infer-parameters"]
[[models]]
model = "lenet5"
)");
  ASSERT_THAT(study, is_ok());
  EXPECT_THAT(study->bindings, ElementsAre("pytorch/*"));
  EXPECT_THAT(study->seeds, ElementsAre(4294967295U));
  EXPECT_THAT(study->devices, ElementsAre("cpu"));
  EXPECT_THAT(study->loaders, ElementsAre(trial::Loader::kResident));
  EXPECT_THAT(study->variants, ElementsAre(trial::Variant::kStep));
  EXPECT_THAT(study->measures, ElementsAre(trial::Measure::kTotal));
  EXPECT_EQ(study->repeats, 1);
  EXPECT_EQ(study->shuffle_seed, 0U);
  EXPECT_THAT(study->inference_weights, IsEmpty());
  EXPECT_EQ(study->run.threads, 1);
  EXPECT_EQ(study->run.warmup_steps, 2);
  EXPECT_EQ(study->run.time_limit, std::chrono::hours(1));
  EXPECT_EQ(study->run.memory_limit_mib, 4096);
  const ModelEntry& entry = study->models.at(0);
  EXPECT_EQ(entry.model.dataset, "mnist");
  EXPECT_EQ(entry.model.batch, 128);
  EXPECT_EQ(entry.train_samples, std::nullopt);
  EXPECT_EQ(entry.place, "mine.toml:6");
}

TEST(Study, TakesAnEntrysOwnKeysBeforeThoseOfTraining) {
  const auto study = parsed(R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp"]
seeds = [1]
tasks = ["infer-parameters", "train"]
[training]
epochs = 3
batch_size = 64
evaluate = "last"
optimizer = { type = "sgd", rate = 0.5, momentum = 0.0 }
[[models]]
model = "lenet1"
[[models]]
model = "lenet5"
dataset = "glyphs-2000-500"
geometry = "conform"
train_samples = 2000
test_samples = 100
epochs = 5
batch_size = 7
training_accuracy = "eval"
evaluate = "every_epoch"
optimizer = { type = "sgd", rate = 0.25, momentum = 0.5 }
[[models]]
model = "lenet1"
epochs = 4
)");
  ASSERT_THAT(study, is_ok());
  EXPECT_THAT(study->tasks, ElementsAre(trial::Task::kTrain, trial::Task::kInferParameters));
  ASSERT_EQ(study->models.size(), 3U);
  const auto rate = [](const ModelEntry& entry) {
    return std::get<model::Sgd>(entry.model.optimizer).rate;
  };
  const ModelEntry& plain = study->models[0];
  EXPECT_EQ(plain.label, "lenet1");
  EXPECT_EQ(plain.epochs, 3);
  EXPECT_EQ(plain.model.batch, 64);
  EXPECT_EQ(plain.evaluate, trial::Evaluate::kLast);
  EXPECT_EQ(rate(plain), 0.5);
  const ModelEntry& own = study->models[1];
  EXPECT_EQ(own.model.dataset, "glyphs-2000-500");
  EXPECT_EQ(own.train_samples, 2000);
  EXPECT_EQ(own.test_samples, 100);
  EXPECT_EQ(own.epochs, 5);
  EXPECT_EQ(own.model.batch, 7);
  EXPECT_EQ(own.training_accuracy, trial::TrainingAccuracy::kEval);
  EXPECT_EQ(own.evaluate, trial::Evaluate::kEveryEpoch);
  EXPECT_EQ(rate(own), 0.25);
  EXPECT_EQ(study->models[2].label, "lenet1#2");
}

TEST(Study, AnEntryTakesSeedsAndRepeatsOfItsOwn) {
  const auto study = parsed(R"(name = "mine"
title = "Mine"
cuts = ["the fourth seed", "the rest of the data"]
bindings = ["reference/cpp"]
seeds = [1, 2, 3]
repeats = 2
tasks = ["train", "infer-parameters"]
[training]
epochs = 3
shuffle = false
[[models]]
model = "lenet1"
parameters = "mine"
[[models]]
model = "lenet5"
seeds = [3]
repeats = 5
shuffle = true
)");
  ASSERT_THAT(study, is_ok());
  EXPECT_THAT(study->cuts, ElementsAre("the fourth seed", "the rest of the data"));
  const auto& [plain, own] = std::tie(study->models[0], study->models[1]);
  EXPECT_THAT(plain.seeds, IsEmpty());
  EXPECT_EQ(study->repeats_of(plain), 2);
  EXPECT_EQ(plain.parameters, "mine");
  EXPECT_FALSE(plain.shuffle);
  EXPECT_THAT(own.seeds, ElementsAre(3U));
  EXPECT_EQ(study->repeats_of(own), 5);
  EXPECT_EQ(own.parameters, "");
  EXPECT_TRUE(own.shuffle);
}

TEST(Study, StepsAreATrainingOfSoManyBatches) {
  const auto study = parsed(R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp"]
seeds = [1]
tasks = ["train"]
[training]
batch_size = 64
training_accuracy = "eval"
[[models]]
model = "lenet1"
steps = 5
)");
  ASSERT_THAT(study, is_ok());
  const ModelEntry& entry = study->models.at(0);
  EXPECT_EQ(entry.steps, 5);
  EXPECT_EQ(entry.epochs, 1);
  EXPECT_EQ(entry.train_samples, 320);
  EXPECT_EQ(entry.test_samples, 320);
  EXPECT_EQ(entry.training_accuracy, trial::TrainingAccuracy::kRunning);
  EXPECT_EQ(entry.evaluate, trial::Evaluate::kLast);
}

TEST(Study, ReadyOnesAreRight) {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(kStudies)) {
    SCOPED_TRACE(file.path().string());
    const auto study = load_study(file.path(), kModels);
    ASSERT_THAT(study, is_ok());
    EXPECT_EQ(study->name, file.path().stem());
    ++count;
  }
  EXPECT_GE(count, 1U);
}

TEST(Study, IsFoundByIdOrPath) {
  EXPECT_EQ(find_study("quick", kStudies).value(), std::filesystem::path(kStudies) / "quick.toml");
  EXPECT_EQ(find_study("some/where.toml", "/nowhere").value(), "some/where.toml");
  EXPECT_THAT(find_study("quikc", kStudies), fails_with(HasSubstr("Did you mean 'quick'?")));
  EXPECT_THAT(find_study("entirely-else", kStudies), fails_with(HasSubstr("There are: ")));
  EXPECT_THAT(find_study("quick", "/nowhere"), fails_with(HasSubstr("CROSSBIND_HOME")));
}

class StudyFileTest : public testing::ScratchTest {};

TEST_F(StudyFileTest, NamesModelsRelativeToItself) {
  std::filesystem::create_directory(scratch("models"));
  std::filesystem::copy_file(kModels + "/lenet1.toml", scratch("models/own.toml"));
  ASSERT_THAT(write_file(scratch("study.toml"), R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp"]
seeds = [1]
tasks = ["infer-parameters"]
[[models]]
model = "models/own.toml"
)"),
              is_ok());
  const auto study = load_study(scratch("study.toml"), "/nowhere");
  ASSERT_THAT(study, is_ok());
  EXPECT_EQ(study->models.at(0).model.id, "lenet1");
}

}  // namespace
}  // namespace crossbind::spec
