// The built-in data set is as hard as it should be: LeNet-5 learns it, but not to the last sample.
#include <cstdlib>

#include "data/batch_order.h"
#include "data/get.h"
#include "model/initial_weights.h"
#include "model/model.h"
#include "referee/training.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

class GlyphsAccuracyTest : public testing::ScratchTest {};

TEST_F(GlyphsAccuracyTest, LeNet5ReachesNinetySevenToNinetyNinePointFivePercent) {
  if (std::getenv("CROSSBIND_TEST_FULL") == nullptr) {
    GTEST_SKIP() << "trains for minutes: make test-full";
  }
  SilentProgress progress;
  const data::Workshop workshop{scratch("cache"), process::run, progress, 2};
  ASSERT_THAT(data::get_dataset({data::find_dataset("glyphs").value(), {}, {}, false}, workshop),
              testing::is_ok());
  const auto dataset = data::open_dataset("glyphs", scratch("cache")).value();
  const auto model =
      model::find_model("lenet5", testing::source_path("models"), model::Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  const auto train = referee::Split::open(dataset.file(), "train", *model, 0).value();
  const auto test = referee::Split::open(dataset.file(), "test", *model, 0).value();
  referee::Network<double> network(*model, {.threads = 2}, {});
  ASSERT_THAT(network.load(model::initial_weights(*model, 1)), testing::is_ok());
  for (uint32_t epoch = 1; epoch <= 10; ++epoch) {
    const auto order = data::batch_order(1, epoch, train.size(), model->batch, true);
    (void)referee::train_epoch(network, train, order, {});
  }
  const double accuracy = referee::evaluate(network, test);
  fmt::print("LeNet-5 on glyphs, 10 epochs: {:.2f} %\n", accuracy * 100);
  EXPECT_GE(accuracy, 0.97);
  EXPECT_LE(accuracy, 0.995);
}

}  // namespace
}  // namespace crossbind
