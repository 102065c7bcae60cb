#include "published/import.h"

#include "published/fixtures.h"
#include "published/seeds.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::published {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ImportTest : public testing::ScratchTest {
 protected:
  ImportTest() { put_tiny_study(root()); }

  [[nodiscard]] std::filesystem::path root() const { return scratch("published"); }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return root() / "tensorflow" / "tiny" / name;
  }
  ImportReport import() { return import_published(root(), store_).value(); }

  [[nodiscard]] std::vector<store::TrialRecord> stored(const std::string& binding,
                                                       const std::string& task) const {
    std::vector<store::TrialRecord> found;
    EXPECT_THAT(
        store_.for_each_trial(std::nullopt,
                              [&](const store::TrialRecord& trial) -> Status {
                                if (trial.axes.binding == binding && trial.axes.task == task) {
                                  found.push_back(trial);
                                }
                                return {};
                              }),
        testing::is_ok());
    return found;
  }

  store::MemoryStore store_;
};

TEST_F(ImportTest, MakesATrialOfEverySeedAndOfEveryInference) {
  const auto report = import();
  EXPECT_EQ(report.files, 43U);
  EXPECT_EQ(report.trainings, 10U);
  EXPECT_EQ(report.inferences, 3U);
  EXPECT_EQ(report.added, report.trainings + report.inferences + report.unsupported);
  EXPECT_THAT(report.unreadable, IsEmpty());
  EXPECT_THAT(report.unknown, IsEmpty());
  const auto trainings = stored("tensorflow/javascript", "train");
  ASSERT_THAT(trainings, SizeIs(5));
  EXPECT_EQ(trainings[1].axes.seed, kSeeds[1]);
  EXPECT_THAT(trainings[1].curve,
              ElementsAre(store::EpochPoint{1, std::nullopt, 0.25, 0.125},
                          store::EpochPoint{2, std::nullopt, 0.75, 0.5}));
  EXPECT_THAT(
      trainings[1].series,
      ElementsAre(store::Series{"test.auc", 0, {0.5}}, store::Series{"train.total", 0, {12}}));
  EXPECT_THAT(stored("tensorflow/rust", "infer-serialization").front().series,
              Contains(store::Series{"infer.same", 0, {1, 1, 1, 1, 1}}));
}

TEST_F(ImportTest, WhatThereIsNoFileOfIsUnsupported) {
  import();
  const auto trainings = stored("tensorflow/rust", "train");
  ASSERT_THAT(trainings, SizeIs(1));
  EXPECT_EQ(trainings[0].outcome, store::Outcome::kUnsupported);
  // TensorFlow's C# has not even a folder.
  EXPECT_THAT(stored("tensorflow/csharp", "infer-parameters"), SizeIs(2));
}

TEST_F(ImportTest, ASecondTimeAddsNothing) {
  const auto first = import();
  const auto second = import_published(root().parent_path(), store_).value();
  EXPECT_EQ(second.added, 0U);
  EXPECT_EQ(second.already_there, first.added);
  EXPECT_THAT(second.different, IsEmpty());
  EXPECT_THAT(store_.studies().value(), SizeIs(1));
}

TEST_F(ImportTest, OtherNumbersOfATrialThatIsThereAreNamedAndNotTaken) {
  import();
  put(file("rs/deploy_eval_cpu_serialization.txt"), rust_inference(7, 0.5));
  EXPECT_THAT(import().different, ElementsAre(HasSubstr("tensorflow/rust tiny cpu")));
  EXPECT_THAT(stored("tensorflow/rust", "infer-serialization").front().series,
              Contains(store::Series{"infer.total", 0, {1, 1, 1, 1, 1}}));
}

TEST_F(ImportTest, ABadFileIsNamedWithItsLineAndTheRestIsImported) {
  put(file("py/training_errors_2.txt"), "0.25\nnan\n");
  put(file("py/roc_aucs_2.json"), "");
  put(file("rs/deploy_eval_cpu_serialization.txt"), "Average Time: 1\n1\n");
  const auto report = import();
  EXPECT_EQ(report.files, 40U);
  EXPECT_THAT(report.unreadable,
              ElementsAre(HasSubstr("training_errors_2.txt:2"),
                          HasSubstr("roc_aucs_2.json:1"),
                          HasSubstr("deploy_eval_cpu_serialization.txt:2")));
  const auto training = stored("tensorflow/python", "train").at(2);
  EXPECT_EQ(training.curve.at(1), (store::EpochPoint{2, std::nullopt, std::nullopt, 0.5}));
  EXPECT_THAT(training.series, ElementsAre(store::Series{"train.total", 0, {3}}));
  // A file that cannot be read is not a binding that cannot do it.
  for (const auto& trial : stored("tensorflow/rust", "infer-serialization")) {
    EXPECT_EQ(trial.axes.device, "cuda");
  }
}

TEST_F(ImportTest, OfSeveralFilesTheScriptedOneIsTaken) {
  const auto name = [&](const std::string& words) {
    return file(fmt::format("rs/deploy_eval_Cpu_states{}.txt", words));
  };
  put(name(""), rust_inference(4, 0.5));
  put(name("_scripted"), rust_inference(5, 0.5));
  put(name("_scripted_train"), rust_inference(6, 0.5));
  const auto report = import();
  EXPECT_THAT(report.passed_over,
              ElementsAre(HasSubstr("states.txt"), HasSubstr("scripted_train.txt")));
  EXPECT_THAT(stored("tensorflow/rust", "infer-parameters").front().series,
              Contains(store::Series{"infer.total", 0, {5, 5, 5, 5, 5}}));
}

TEST_F(ImportTest, NamesFoldersAndFilesThatMeanNothing) {
  put(root() / "README", "");
  put(root() / "jax" / "tiny" / "py" / "training_errors_0.txt", "0.5\n");
  put(root() / "pytorch" / "notes" / "todo.txt", "");
  put(file("go/training_errors_0.txt"), "0.5\n");
  put(file("py/model.bin"), "");
  EXPECT_THAT(import().unknown,
              ElementsAre(HasSubstr("README"),
                          HasSubstr("jax"),
                          HasSubstr("notes"),
                          HasSubstr("go"),
                          HasSubstr("model.bin")));
}

TEST_F(ImportTest, WhatAFileContradictsInItselfIsKeptWithTheTrial) {
  put(file("py/roc_aucs_0.json"), roc(0.75));
  import();
  EXPECT_EQ(stored("tensorflow/python", "train").front().facts.at("contradiction.evaluation"),
            "0.75 0.75 0.5");
}

TEST_F(ImportTest, AFolderWithoutAFrameworkIsAnError) {
  EXPECT_THAT(import_published(file("py"), store_),
              fails_with(AllOf(HasSubstr("neither"), HasSubstr("Name the folder"))));
  EXPECT_THAT(import_published(scratch("nowhere"), store_), fails_with(HasSubstr("nowhere")));
  EXPECT_THAT(store_.studies().value(), IsEmpty());
}

}  // namespace
}  // namespace crossbind::published
