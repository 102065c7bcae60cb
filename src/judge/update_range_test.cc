#include "judge/update_range.h"

#include "testing/testing.h"

namespace crossbind::judge {
namespace {

using referee::Array;

model::Model one_parameter(const model::Optimizer& optimizer) {
  model::Model model;
  model.optimizer = optimizer;
  model.parameters = {{.name = "fc.weight", .shape = {1}}};
  return model;
}

Array<double> number(double value) {
  Array<double> array(tensor::Shape{1});
  array[0] = value;
  return array;
}

constexpr double kRounding = 1e-4;  // bounds are 32 units, to both sides

TEST(UpdateRange, OfPlainSgdIsTheRateTimesTheGradients) {
  const auto model = one_parameter(model::Sgd{.rate = 0.5});
  const auto range =
      update_range(model, 0, 1, number(1), {number(0.2), number(0.4)}, exact_state(model, 0));
  EXPECT_NEAR(range.parameter.low[0], 0.8, kRounding);
  EXPECT_NEAR(range.parameter.high[0], 0.9, kRounding);
  EXPECT_LT(range.parameter.low[0], 0.8);
}

TEST(UpdateRange, CarriesTheMomentumsRangeToTheNextStep) {
  const auto model = one_parameter(model::Sgd{.rate = 0.5, .momentum = 0.5});
  const auto first =
      update_range(model, 0, 1, number(1), {number(0.2), number(0.4)}, exact_state(model, 0));
  const auto second = update_range(model, 0, 2, number(1), {number(0.2), number(0.2)}, first);
  EXPECT_NEAR(second.parameter.high[0], 1 - 0.5 * (0.5 * 0.2 + 0.2), kRounding);
  EXPECT_NEAR(second.parameter.low[0], 1 - 0.5 * (0.5 * 0.4 + 0.2), kRounding);
}

// The first update of Adam is the rate times the gradient's sign, which is not known here.
TEST(UpdateRange, OfAdamIsWideWhereTheSignIsUnknown) {
  const auto model =
      one_parameter(model::Adam{.rate = 0.1, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8});
  const auto unsure =
      update_range(model, 0, 1, number(1), {number(-1e-3), number(1e-3)}, exact_state(model, 0));
  EXPECT_NEAR(unsure.parameter.high[0] - unsure.parameter.low[0], 0.2, kRounding);
  const auto sure =
      update_range(model, 0, 1, number(1), {number(0.5), number(0.6)}, exact_state(model, 0));
  EXPECT_NEAR(sure.parameter.high[0] - sure.parameter.low[0], 0, kRounding);
}

}  // namespace
}  // namespace crossbind::judge
