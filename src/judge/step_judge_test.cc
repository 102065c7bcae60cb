#include "judge/step_judge.h"

#include <numeric>

#include "judge/step_tensors.h"
#include "model/initial_weights.h"
#include "reference/rounding.h"
#include "reference/test_batch.h"
#include "testing/testing.h"

namespace crossbind::judge {
namespace {

using testing::is_ok;

constexpr uint32_t kSeed = 5;

// The second step of a small model with batch norm and momentum, as the referee itself would show
// it in float32.
class StepJudgeTest : public ::testing::Test {
 protected:
  StepJudgeTest()
      : model_(
            model::find_model("resnet20", testing::source_path("models"), model::Geometry::kConform)
                .value()) {
    step_.number = 2;
    step_.state = model::initial_weights(model_, kSeed);
    const auto batch = reference::make_batch<double>(model_, 4, kSeed);
    step_.batch = {batch.inputs, batch.targets};
    reference::Network<double> network(model_, {}, {.enabled = false});
    EXPECT_THAT(network.load(step_.state), is_ok());
    network.step() = 1;
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      auto& moment = network.state(i).m;
      for (size_t j = 0; j < moment.values.size(); ++j) {
        moment.values[j] = 0.25 * static_cast<double>(j % 5);  // exact in float32
      }
      if (!moment.values.empty()) {
        step_.state.insert_or_assign(model_.parameters[i].name + ".state.m", as_float32(moment));
      }
    }
    network.forward(step_.batch.inputs, reference::Mode::kTrain);
    step_.loss = network.backward(step_.batch.inputs, step_.batch.targets).value;
    network.update(step_.batch.inputs);
    record(network);
  }

  void record(reference::Network<double>& network) {
    for (size_t i = 0; i < model_.nodes.size(); ++i) {
      step_.tensors.emplace(model_.nodes[i].name + ".out", as_float32(network.output(i)));
    }
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const auto& parameter = model_.parameters[i];
      step_.tensors.emplace(parameter.name, as_float32(network.parameter(i)));
      if (model::is_trainable(parameter.role)) {
        step_.tensors.emplace(parameter.name + ".grad", as_float32(network.gradient(i)));
        step_.tensors.emplace(parameter.name + ".state.m", as_float32(network.state(i).m));
      }
    }
  }

  // Doubles the first element that is not 0.
  void spoil(const std::string& name) {
    auto& tensor = step_.tensors.at(name);
    const auto values = *tensor.view().as<float>();
    std::vector<float> changed(values.begin(), values.end());
    *std::ranges::find_if(changed, [](float value) { return value != 0; }) *= 2;
    tensor = tensor::Tensor(tensor.shape(), changed);
  }

  [[nodiscard]] const std::string& parameter_of(model::Role role) const {
    return std::ranges::find(model_.parameters, role, &model::Parameter::role)->name;
  }

  [[nodiscard]] StepJudge judge() const { return StepJudge::open(model_, step_).value(); }

  model::Model model_;
  RecordedStep step_;
};

TEST_F(StepJudgeTest, AStepThatIsRightIsRoundingInEveryKind) {
  auto judge = this->judge();
  for (const auto& kind :
       {judge.layers(), judge.loss_and_gradients(), judge.updates(), judge.statistics()}) {
    const auto worst = worst_of(kind);
    EXPECT_TRUE(worst.is_rounding()) << worst.tensor << " " << worst.ratio;
    EXPECT_FALSE(worst.tensor.empty());
  }
}

TEST_F(StepJudgeTest, EachKindNamesTheTensorThatIsOff) {
  const std::string weight = parameter_of(model::Role::kWeight);
  const std::string mean = parameter_of(model::Role::kRunningMean);
  const std::string layer = model_.nodes.front().name + ".out";
  for (const auto& name : {weight + ".grad", weight, mean, layer}) {
    spoil(name);
  }
  auto judge = this->judge();
  EXPECT_EQ(worst_of(judge.layers()).tensor, layer);
  EXPECT_EQ(worst_of(judge.loss_and_gradients()).tensor, weight + ".grad");
  EXPECT_EQ(worst_of(judge.updates()).tensor, weight);
  EXPECT_EQ(worst_of(judge.statistics()).tensor, mean);
  for (const auto& kind :
       {judge.layers(), judge.loss_and_gradients(), judge.updates(), judge.statistics()}) {
    const auto worst = worst_of(kind);
    EXPECT_FALSE(worst.is_rounding()) << worst.tensor;
  }
}

TEST_F(StepJudgeTest, AWrongLossIsFound) {
  *step_.loss *= 1.001;
  EXPECT_EQ(worst_of(judge().loss_and_gradients()).tensor, "loss");
}

TEST_F(StepJudgeTest, AStepWithoutALayersOutputCannotBeJudged) {
  step_.tensors.erase(model_.nodes.front().name + ".out");
  const auto judge = StepJudge::open(model_, step_);
  ASSERT_FALSE(judge.has_value());
  EXPECT_EQ(judge.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace crossbind::judge
