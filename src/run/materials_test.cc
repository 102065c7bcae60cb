#include "run/materials.h"

#include "data/batch_order.h"
#include "data/get.h"
#include "model/initial_weights.h"
#include "process/command.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class MaterialsTest : public testing::ScratchTest {
 protected:
  MaterialsTest() {
    std::filesystem::create_directories(scratch("run"));
    entry_.label = "lenet1";
    entry_.epochs = 2;
    entry_.model =
        model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull).value();
    entry_.model.batch = 8;
    entry_.model.dataset = "glyphs-20-10";
  }

  void make_data() {
    SilentProgress progress;
    const data::Workshop workshop{scratch("cache"), process::run, progress, 1};
    ASSERT_THAT(
        data::get_dataset({data::find_dataset("glyphs-20-10").value(), {}, {}, false}, workshop),
        is_ok());
  }

  spec::ModelEntry entry_;
};

TEST_F(MaterialsTest, InitialWeightsAreThoseOfTheModelAndTheSeed) {
  const auto path = Materials(scratch("run"), scratch("cache")).initial_weights(entry_, 3).value();
  ASSERT_THAT(
      tensor::save_safetensors(scratch("expected"), model::initial_weights(entry_.model, 3), {}),
      is_ok());
  EXPECT_EQ(read_file(path).value(), read_file(scratch("expected")).value());
}

TEST_F(MaterialsTest, EverySeedAndEntryHasFilesOfItsOwnThatAreMadeOnce) {
  Materials materials(scratch("run"), scratch("cache"));
  const auto first = materials.initial_weights(entry_, 1).value();
  const auto time = std::filesystem::last_write_time(first);
  EXPECT_EQ(materials.initial_weights(entry_, 1).value(), first);
  EXPECT_EQ(std::filesystem::last_write_time(first), time);
  EXPECT_NE(materials.initial_weights(entry_, 2).value(), first);
  entry_.label = "lenet1#2";
  EXPECT_NE(materials.initial_weights(entry_, 1).value(), first);
}

TEST_F(MaterialsTest, TheOrderFileHasTheBatchesOfEveryEpochOneAfterTheOther) {
  Materials materials(scratch("run"), scratch("cache"));
  const auto path = materials.batch_order(entry_, 5, 20).value();
  const auto file = tensor::SafetensorsFile::open(path).value();
  EXPECT_EQ(file.find("order").value().shape, (tensor::Shape{2, 20}));
  std::vector<int64_t> expected;
  for (const uint32_t epoch : {1U, 2U}) {
    for (const auto& batch : data::batch_order(5, epoch, 20, 8, true)) {
      expected.insert(expected.end(), batch.begin(), batch.end());
    }
  }
  const auto ids = file.values<int64_t>("order").value();
  EXPECT_EQ(std::vector<int64_t>(ids.begin(), ids.end()), expected);
}

TEST_F(MaterialsTest, AnEntryThatIsNotShuffledHasTheSamplesAsTheyAre) {
  entry_.shuffle = false;
  const auto path = Materials(scratch("run"), scratch("cache")).batch_order(entry_, 5, 20).value();
  const auto file = tensor::SafetensorsFile::open(path).value();
  const auto ids = file.values<int64_t>("order").value();
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids[i], static_cast<int64_t>(i % 20));
  }
}

TEST_F(MaterialsTest, DataIsAllThereIsOrTheLimitOfTheStudy) {
  make_data();
  Materials all(scratch("run"), scratch("cache"));
  const auto file = all.data(entry_).value();
  EXPECT_TRUE(std::filesystem::exists(file.path));
  EXPECT_EQ(file.train_samples, 20);
  EXPECT_EQ(file.test_samples, 10);
  entry_.label = "lenet1#2";
  entry_.train_samples = 12;
  entry_.test_samples = 1000;
  const auto limited = all.data(entry_).value();
  EXPECT_EQ(limited.train_samples, 12);
  EXPECT_EQ(limited.test_samples, 10);
}

TEST_F(MaterialsTest, DataThatIsNotThereIsAnError) {
  Materials materials(scratch("run"), scratch("cache"));
  EXPECT_THAT(materials.data(entry_), fails_with(HasSubstr("glyphs-20-10")));
}

TEST_F(MaterialsTest, TrainedParametersOutliveTheRun) {
  const Materials materials(scratch("run"), scratch("cache"));
  EXPECT_EQ(materials.trained("0a1b"), scratch("cache/trained/0a1b.safetensors"));
  EXPECT_EQ(materials.supplied("mine"), scratch("cache/parameters/mine.safetensors"));
}

}  // namespace
}  // namespace crossbind::run
