#include "judge/free_step.h"

#include "model/initial_weights.h"
#include "reference/network.h"
#include "reference/test_batch.h"
#include "testing/testing.h"

namespace crossbind::judge {
namespace {

using reference::Array;
using reference::Network;
using reference::Scope;
using testing::is_ok;

constexpr int64_t kSamples = 4;

// Another correct implementation: float32, summing in another order.
class FreeStepTest : public ::testing::TestWithParam<const char*> {
 protected:
  FreeStepTest()
      : model_(
            model::find_model(GetParam(), testing::source_path("models"), model::Geometry::kConform)
                .value()) {
    const auto batch = reference::make_batch<double>(model_, kSamples, 3);
    start_.state = model::initial_weights(model_, 1);
    start_.batch = {batch.inputs, batch.targets};
  }

  static double ratio(const Array<float>& came, const reference::Bounded& expected, Scope scope) {
    Array<double> array(came.shape);
    std::ranges::copy(came.values, array.values.begin());
    return reference::largest_deviation(array, expected, scope).ratio;
  }

  model::Model model_;
  RecordedStep start_;
};

TEST_P(FreeStepTest, HoldsACorrectImplementationInFloat32) {
  const auto free = free_step(model_, start_);
  ASSERT_THAT(free, is_ok());
  Network<float> other(model_, {.permutation_seed = 5}, {.enabled = false});
  ASSERT_THAT(other.load(start_.state), is_ok());
  const auto batch = reference::make_batch<float>(model_, kSamples, 3);
  other.forward(batch.inputs, reference::Mode::kTrain);
  other.backward(batch.inputs, batch.targets);
  EXPECT_LE(ratio(other.output(), free->output, Scope::kSample), reference::kBoundConstant);
  for (size_t i = 0; i < model_.parameters.size(); ++i) {
    if (model::is_trainable(model_.parameters[i].role)) {
      EXPECT_LE(ratio(other.gradient(i), free->gradients[i], Scope::kTensor),
                reference::kBoundConstant)
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
  wrong.forward(start_.batch.inputs, reference::Mode::kTrain);
  EXPECT_GT(reference::largest_deviation(wrong.output(), free->output, Scope::kSample).ratio,
            reference::kBoundConstant);
}

INSTANTIATE_TEST_SUITE_P(Models, FreeStepTest, ::testing::Values("lenet5", "lstm"));

}  // namespace
}  // namespace crossbind::judge
