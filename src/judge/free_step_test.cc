#include "judge/free_step.h"

#include "model/initial_weights.h"
#include "referee/network.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::judge {
namespace {

using referee::Array;
using referee::Network;
using referee::Scope;
using testing::is_ok;

constexpr int64_t kSamples = 4;

// Another correct implementation: float32, summing in another order.
class FreeStepTest : public ::testing::TestWithParam<const char*> {
 protected:
  FreeStepTest()
      : model_(
            model::find_model(GetParam(), testing::source_path("models"), model::Geometry::kConform)
                .value()) {
    const auto batch = referee::make_batch<double>(model_, kSamples, 3);
    start_.state = model::initial_weights(model_, 1);
    start_.batch = {batch.inputs, batch.targets};
  }

  static double ratio(const Array<float>& came, const referee::Bounded& expected, Scope scope) {
    Array<double> array(came.shape);
    std::ranges::copy(came.values, array.values.begin());
    return referee::largest_deviation(array, expected, scope).ratio;
  }

  model::Model model_;
  RecordedStep start_;
};

TEST_P(FreeStepTest, HoldsACorrectImplementationInFloat32) {
  const auto free = free_step(model_, start_);
  ASSERT_THAT(free, is_ok());
  Network<float> other(model_, {.permutation_seed = 5}, {.enabled = false});
  ASSERT_THAT(other.load(start_.state), is_ok());
  const auto batch = referee::make_batch<float>(model_, kSamples, 3);
  other.forward(batch.inputs, referee::Mode::kTrain);
  other.backward(batch.inputs, batch.targets);
  EXPECT_LE(ratio(other.output(), free->output, Scope::kSample), 1);
  for (size_t i = 0; i < model_.parameters.size(); ++i) {
    if (model::is_trainable(model_.parameters[i].role)) {
      EXPECT_LE(ratio(other.gradient(i), free->gradients[i], Scope::kTensor), 1)
          << model_.parameters[i].name;
    }
  }
}

TEST_P(FreeStepTest, IsNotSoWideThatAWrongWeightWouldPass) {
  const auto free = free_step(model_, start_);
  ASSERT_THAT(free, is_ok());
  Network<double> wrong(model_, {}, {.enabled = false});
  ASSERT_THAT(wrong.load(start_.state), is_ok());
  for (double& value : wrong.parameter(0).values) {
    value *= 1.001;
  }
  wrong.forward(start_.batch.inputs, referee::Mode::kTrain);
  EXPECT_GT(referee::largest_deviation(wrong.output(), free->output, Scope::kSample).ratio, 1);
}

// Batch norm in evaluation has another gradient than in training: resnet20 too.
class FreeQueryTest : public FreeStepTest {};

TEST_P(FreeQueryTest, HoldsTheInputGradientsOfACorrectImplementation) {
  const auto free = free_query(model_, start_);
  ASSERT_THAT(free, is_ok());
  Network<float> other(model_, {.permutation_seed = 5}, {.enabled = false});
  ASSERT_THAT(other.load(start_.state), is_ok());
  const auto batch = referee::make_batch<float>(model_, kSamples, 3);
  other.forward(batch.inputs, referee::Mode::kEvaluate);
  other.backward(batch.inputs, batch.targets, referee::InputGradients::kWanted);
  EXPECT_LE(ratio(other.output(), free->output, Scope::kSample), 1);
  for (size_t i = 0; i < model_.inputs.size(); ++i) {
    if (model_.inputs[i].is_integer()) {
      EXPECT_TRUE(free->inputs[i].value.values.empty());
      continue;
    }
    auto summed = other.input_gradient(i);
    EXPECT_GT(ratio(summed, free->inputs[i], Scope::kSample), 1) << "of the mean";
    for (float& value : summed.values) {
      value *= static_cast<float>(kSamples);
    }
    EXPECT_LE(ratio(summed, free->inputs[i], Scope::kSample), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, FreeStepTest, ::testing::Values("lenet5", "lstm"));
INSTANTIATE_TEST_SUITE_P(Models, FreeQueryTest, ::testing::Values("lenet5", "lstm", "resnet20"));

}  // namespace
}  // namespace crossbind::judge
