#include "referee/training.h"

#include "model/model.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::referee {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

// Two classes that a linear model tells apart: the first or the second half of four numbers is lit.
const char* const kModel = R"(
id = "tiny"
title = "tiny"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 4
layers = [{ name = "fc", type = "linear", out = 2, bias = true }]
[inputs]
image = { shape = [4] }
[optimizer]
type = "sgd"
rate = 1.0
momentum = 0.0
)";

class TrainingTest : public testing::ScratchTest {
 protected:
  void SetUp() override {
    model_ = model::parse_model(kModel, "tiny", model::Geometry::kFull).value();
    std::vector<float> images;
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < 10; ++i) {
      labels.push_back(i % 2);
      for (int64_t k = 0; k < 4; ++k) {
        images.push_back(k / 2 == i % 2 ? 1.0F : 0.1F * static_cast<float>(i) / 10);
      }
    }
    write(images, labels);
  }

  void write(const std::vector<float>& images, const std::vector<int64_t>& labels) {
    const auto count = static_cast<int64_t>(labels.size());
    tensor::TensorMap tensors;
    tensors.emplace("train.image", tensor::Tensor({count, 4}, images));
    tensors.emplace("train.label", tensor::Tensor({count}, labels));
    ASSERT_THAT(tensor::save_safetensors(scratch("data"), tensors, {}), is_ok());
  }

  void write_spans(const std::vector<int64_t>& starts, const std::vector<int64_t>& ends) {
    const auto count = std::ssize(starts);
    tensor::TensorMap tensors;
    tensors.emplace("train.image",
                    tensor::Tensor({count, 4}, std::vector<float>(static_cast<size_t>(count) * 4)));
    tensors.emplace("train.start", tensor::Tensor({count}, starts));
    tensors.emplace("train.end", tensor::Tensor({std::ssize(ends)}, ends));
    ASSERT_THAT(tensor::save_safetensors(scratch("data"), tensors, {}), is_ok());
  }

  [[nodiscard]] Result<Split> open(const tensor::SafetensorsFile& file, int64_t limit = 0) const {
    return Split::open(file, "train", model_, limit);
  }

  model::Model model_;
};

TEST_F(TrainingTest, LearnsAndReportsSampleWeightedMeans) {
  const auto file = tensor::SafetensorsFile::open(scratch("data")).value();
  const auto split = open(file);
  ASSERT_THAT(split, is_ok());
  Network<double> network(model_, {}, {});
  const BatchOrder order = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}};  // the last one is partial
  std::vector<int64_t> seen;
  const auto first =
      train_epoch(network, *split, order, [&](int64_t done) { seen.push_back(done); });
  EXPECT_THAT(seen, ::testing::ElementsAre(4, 8, 10));
  // All parameters are zero at first, so the first batch's loss is log 2 and its guesses are all 0.
  EXPECT_LT(first.loss, std::log(2.0));
  EXPECT_GE(first.accuracy, 0.5);
  for (int i = 0; i < 20; ++i) {
    (void)train_epoch(network, *split, order, {});
  }
  EXPECT_EQ(evaluate(network, *split), 1.0);
}

TEST_F(TrainingTest, WeighsThePartialBatchByItsSamples) {
  const auto file = tensor::SafetensorsFile::open(scratch("data")).value();
  const auto split = open(file);
  ASSERT_THAT(split, is_ok());
  std::get<model::Sgd>(model_.optimizer).rate = 0;  // nothing changes: batching must not matter
  Network<double> network(model_, {}, {});
  ASSERT_THAT(network.load(make_parameters(model_, 2)), is_ok());
  const auto whole = train_epoch(network, *split, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {});
  const auto uneven = train_epoch(network, *split, {{0, 1, 2, 3, 4, 5, 6}, {7, 8, 9}}, {});
  EXPECT_NEAR(whole.loss, uneven.loss, 1e-15);
  EXPECT_EQ(whole.accuracy, uneven.accuracy);
}

TEST_F(TrainingTest, LimitsAndGathersTheRightSamples) {
  const auto file = tensor::SafetensorsFile::open(scratch("data")).value();
  EXPECT_EQ(open(file, 4).value().size(), 4);
  EXPECT_EQ(open(file, 400).value().size(), 10);
  const auto batch = open(file).value().gather<double>(std::vector<int64_t>{7, 2});
  EXPECT_THAT(batch.targets.labels, ::testing::ElementsAre(1, 0));
  EXPECT_EQ(batch.inputs[0][0], static_cast<double>(0.1F * 7.0F / 10));
  EXPECT_EQ(batch.inputs[0][4], 1.0);
}

TEST_F(TrainingTest, GathersTheTargetsThatTheLossNames) {
  model_.loss = model::Loss::kSpanCrossEntropy;
  model_.nodes.back().output = {5, 2};
  write_spans({0, 1, 4}, {2, 3, 4});
  auto file = tensor::SafetensorsFile::open(scratch("data")).value();
  const auto batch = open(file).value().gather<double>(std::vector<int64_t>{2, 0});
  EXPECT_THAT(batch.targets.labels, ::testing::ElementsAre(4, 0));
  EXPECT_THAT(batch.targets.ends, ::testing::ElementsAre(4, 2));
  write_spans({0, 1, 4}, {2, 3});
  file = tensor::SafetensorsFile::open(scratch("data")).value();
  EXPECT_THAT(open(file), fails_with(HasSubstr("'end' and the labels before it differ in number")));
}

TEST_F(TrainingTest, RefusesADataSetThatDoesNotFitTheModel) {
  write(std::vector<float>(8), {0, 2});
  auto file = tensor::SafetensorsFile::open(scratch("data")).value();
  EXPECT_THAT(
      open(file),
      fails_with(AllOf(HasSubstr("'train.label' has the value 2 at 1"), HasSubstr("0 to 1"))));
  write({}, {});
  file = tensor::SafetensorsFile::open(scratch("data")).value();
  EXPECT_THAT(open(file), fails_with(HasSubstr("the split 'train' is empty")));
  model_.inputs[0].shape = {5};
  EXPECT_THAT(open(file), fails_with(HasSubstr("the model takes samples of [5]")));
  model_.inputs[0].name = "tokens";
  EXPECT_THAT(
      open(file),
      fails_with(AllOf(HasSubstr("no tensor 'train.tokens'"), HasSubstr("crossbind models"))));
}

}  // namespace
}  // namespace crossbind::referee
