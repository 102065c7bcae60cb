#include "conform/locate.h"

#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using judge::Deviation;

model::Model lenet5() {
  return model::find_model("lenet5", testing::source_path("models"), model::Geometry::kConform)
      .value();
}

Deviation with_ratio(const std::string& tensor, double ratio) {
  return {.tensor = tensor, .expected = 1, .came = 1.5, .bound = 0.25, .ratio = ratio};
}

constexpr double kFine = 1;
constexpr double kOff = 3200;

TEST(LayerOf, IsThatOfTheOutputOrParameter) {
  const auto model = lenet5();
  EXPECT_EQ(layer_of(model, "tanh1.out"), "tanh1");
  EXPECT_EQ(layer_of(model, "conv1.weight.grad"), "conv1");
  EXPECT_EQ(layer_of(model, "fc2.bias.state.m"), "fc2");
  EXPECT_EQ(layer_of(model, "fc2.bias"), "fc2");
  EXPECT_EQ(layer_of(model, "loss"), "");
}

TEST(FirstOff, IsTheFirstInTheGraph) {
  const std::vector<Deviation> layers = {with_ratio("conv1.out", kFine),
                                         with_ratio("tanh1.out", kOff),
                                         with_ratio("fc1.out", 2 * kOff)};
  EXPECT_EQ(first_off(layers)->tensor, "tanh1.out");
  EXPECT_EQ(first_off({with_ratio("conv1.out", reference::kBoundConstant)}), nullptr);
}

TEST(GradientOff, IsInTheLayerNearestTheLoss) {
  const auto model = lenet5();
  const std::vector<Deviation> gradients = {with_ratio("conv1.weight.grad", 9 * kOff),
                                            with_ratio("conv1.bias.grad", 9 * kOff),
                                            with_ratio("conv3.weight.grad", kOff),
                                            with_ratio("conv3.bias.grad", 2 * kOff),
                                            with_ratio("fc1.weight.grad", kFine),
                                            with_ratio("fc1.bias.grad", kFine)};
  EXPECT_EQ(gradient_off(model, gradients)->tensor, "conv3.bias.grad");
}

TEST(GradientOff, IsTheWeightWhereTheBiasIsRight) {
  const auto model = lenet5();
  const std::vector<Deviation> gradients = {with_ratio("fc1.weight.grad", kFine),
                                            with_ratio("fc2.weight.grad", kOff),
                                            with_ratio("fc2.bias.grad", kFine)};
  EXPECT_EQ(gradient_off(model, gradients)->tensor, "fc2.weight.grad");
  EXPECT_EQ(gradient_off(model, {with_ratio("fc1.weight.grad", kFine)}), nullptr);
}

TEST(DivergenceOf, HasErrorAndBoundInTheTensorsOwnUnits) {
  const auto divergence = divergence_of(
      lenet5(), Kind::kUpdate, with_ratio("fc1.weight", 2 * reference::kBoundConstant));
  EXPECT_EQ(divergence.layer, "fc1");
  EXPECT_EQ(divergence.tensor, "fc1.weight");
  EXPECT_DOUBLE_EQ(divergence.error, 0.5);
  EXPECT_DOUBLE_EQ(divergence.bound, 0.25);
}

}  // namespace
}  // namespace crossbind::conform
