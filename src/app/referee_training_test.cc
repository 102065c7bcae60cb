#include "app/referee_training.h"

#include "app/made_up.h"
#include "tensor/safetensors.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

class RefereeTrainingTest : public MachineTest {
 protected:
  [[nodiscard]] Status train(const RefereeRequest& request) {
    epochs_.clear();
    return train_referee(request,
                         machine_,
                         {[&](const RefereeCourse& course) { course_ = course; },
                          [&](const RefereeEpoch& epoch) { epochs_.push_back(epoch); },
                          [&] { was_trained_ = true; },
                          silence_});
  }

  SilentProgress silence_;
  RefereeCourse course_;
  std::vector<RefereeEpoch> epochs_;
  bool was_trained_ = false;
};

TEST_F(RefereeTrainingTest, SaysWhatItTrainsAndHowEachEpochEnds) {
  make_digits(20, 10);
  ASSERT_THAT(train({.model = "lenet1",
                     .dataset = "glyphs-20-10",
                     .epochs = 2,
                     .batch = 4,
                     .test = 5,
                     .output = scratch("trained.safetensors")}),
              is_ok());
  EXPECT_EQ(course_.train_samples, 20);
  EXPECT_EQ(course_.test_samples, 5);
  EXPECT_EQ(course_.batch, 4);
  ASSERT_THAT(epochs_, SizeIs(2));
  EXPECT_EQ(epochs_[1].epoch, 2);
  EXPECT_GT(epochs_[0].training.loss, 0);
  EXPECT_TRUE(was_trained_);
  EXPECT_THAT(tensor::load_safetensors(scratch("trained.safetensors")).value(),
              SizeIs(course_.model.parameters.size()));
}

TEST_F(RefereeTrainingTest, FindsOutBeforeTheTrainingThatNothingCanBeSaved) {
  make_digits(20, 10);
  ASSERT_THAT(write_file(scratch("file"), ""), is_ok());
  EXPECT_FALSE(train({.model = "lenet1",
                      .dataset = "glyphs-20-10",
                      .output = scratch("file/trained.safetensors")}));
  EXPECT_THAT(epochs_, SizeIs(0));
}

TEST_F(RefereeTrainingTest, NeedsTheDataSetAndTheModel) {
  EXPECT_THAT(train({.model = "lenet1", .dataset = "glyphs-20-10"}),
              fails_with(HasSubstr("crossbind dataset get glyphs")));
  EXPECT_THAT(train({.model = "lenet9"}), fails_with(HasSubstr("lenet9")));
}

}  // namespace
}  // namespace crossbind::app
