#include "judge/step_tensors.h"

#include "testing/testing.h"

namespace crossbind::judge {
namespace {

TEST(LayerOf, IsThatOfTheOutputOrParameter) {
  const auto model =
      model::find_model("lenet5", testing::source_path("models"), model::Geometry::kConform)
          .value();
  EXPECT_EQ(layer_of(model, "tanh1.out"), "tanh1");
  EXPECT_EQ(layer_of(model, "conv1.weight.grad"), "conv1");
  EXPECT_EQ(layer_of(model, "fc2.bias.state.m"), "fc2");
  EXPECT_EQ(layer_of(model, "fc2.bias"), "fc2");
  EXPECT_EQ(layer_of(model, "loss"), "");
}

}  // namespace
}  // namespace crossbind::judge
