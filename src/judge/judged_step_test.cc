#include "judge/judged_step.h"

#include "judge/step_tensors.h"
#include "model/initial_weights.h"
#include "referee/rounding.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::judge {
namespace {

using testing::is_ok;
using trial::Kind;

constexpr uint32_t kSeed = 5;
constexpr std::array kKindsOfTraining = {
    Kind::kForward, Kind::kLoss, Kind::kGradient, Kind::kUpdate, Kind::kState};

model::Model ready_model(const std::string& name) {
  return model::find_model(name, testing::source_path("models"), model::Geometry::kConform).value();
}

// The second step of a small model with batch norm and momentum, as the referee itself would show
// it in float32.
class JudgedStepTest : public ::testing::Test {
 protected:
  JudgedStepTest() : model_(ready_model("resnet20")) {
    step_.number = 2;
    step_.state = model::initial_weights(model_, kSeed);
    const auto batch = referee::make_batch<double>(model_, 4, kSeed);
    step_.batch = {batch.inputs, batch.targets};
    referee::Network<double> network(model_, {}, {.enabled = false});
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
    network.forward(step_.batch.inputs, referee::Mode::kTrain);
    step_.loss = network.backward(step_.batch.inputs, step_.batch.targets).value;
    network.update(step_.batch.inputs);
    record(network);
  }

  void record(referee::Network<double>& network) {
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

  [[nodiscard]] JudgedStep judged() const { return judge_step(model_, step_).value(); }

  model::Model model_;
  RecordedStep step_;
};

TEST_F(JudgedStepTest, AStepThatIsRightIsRoundingInEveryKind) {
  const auto judged = this->judged();
  EXPECT_EQ(first_off(judged), nullptr);
  EXPECT_TRUE(worst_of(judged).is_rounding());
  ASSERT_EQ(judged.judgements.size(), kKindsOfTraining.size());
  for (size_t i = 0; i < kKindsOfTraining.size(); ++i) {
    const auto& [kind, worst, off] = judged.judgements[i];
    EXPECT_EQ(kind, kKindsOfTraining[i]);
    EXPECT_TRUE(worst.is_rounding()) << worst.tensor << " " << worst.ratio;
    EXPECT_FALSE(worst.tensor.empty());
    EXPECT_FALSE(off.has_value());
  }
}

TEST_F(JudgedStepTest, WhatIsOffIsNamedWithItsKind) {
  const std::string weight = parameter_of(model::Role::kWeight);
  const RecordedStep right = step_;
  for (const auto& [tensor, kind] :
       {std::pair(model_.nodes.front().name + ".out", Kind::kForward),
        std::pair(weight + ".grad", Kind::kGradient),
        std::pair(weight, Kind::kUpdate),
        std::pair(weight + ".state.m", Kind::kState),
        std::pair(parameter_of(model::Role::kRunningMean), Kind::kState)}) {
    step_ = right;
    spoil(tensor);
    const auto judged = this->judged();
    const auto* judgement = first_off(judged);
    ASSERT_NE(judgement, nullptr) << tensor;
    EXPECT_EQ(judgement->kind, kind) << tensor;
    EXPECT_EQ(judgement->off->tensor, tensor);
    EXPECT_FALSE(judgement->worst.is_rounding()) << tensor;
  }
}

TEST_F(JudgedStepTest, NothingIsLookedAtThatFollowsFromAWrongQuantity) {
  const std::string weight = parameter_of(model::Role::kWeight);
  spoil(weight);
  spoil(weight + ".grad");
  const auto judged = this->judged();
  ASSERT_NE(first_off(judged), nullptr);
  EXPECT_EQ(first_off(judged)->kind, Kind::kGradient);
}

TEST_F(JudgedStepTest, TheWorstIsThatOfTheKindsThatAreAskedFor) {
  *step_.loss *= 1.001;
  const auto judged = this->judged();
  EXPECT_EQ(worst_of(judged, {Kind::kLoss, Kind::kGradient}).tensor, "loss");
  EXPECT_TRUE(worst_of(judged, {Kind::kForward, Kind::kUpdate, Kind::kState}).is_rounding());
  EXPECT_EQ(worst_of(judged).tensor, "loss");
}

TEST_F(JudgedStepTest, AStepThatDoesNotTrainHasLayersAlone) {
  step_.trains = false;
  const auto judged = this->judged();
  ASSERT_EQ(judged.judgements.size(), 1U);
  EXPECT_EQ(judged.judgements[0].kind, Kind::kForward);
}

TEST_F(JudgedStepTest, AStepWithoutALayersOutputCannotBeJudged) {
  step_.tensors.erase(model_.nodes.front().name + ".out");
  const auto judged = judge_step(model_, step_);
  ASSERT_FALSE(judged.has_value());
  EXPECT_EQ(judged.error().kind, ErrorKind::kUnsupported);
}

Deviation with_ratio(const std::string& tensor, double ratio) {
  return {.tensor = tensor, .ratio = ratio};
}

constexpr double kFine = 0.03;
constexpr double kOff = 100;

TEST(FirstOff, IsTheFirstInTheGraph) {
  const std::vector<Deviation> layers = {with_ratio("conv1.out", kFine),
                                         with_ratio("tanh1.out", kOff),
                                         with_ratio("fc1.out", 2 * kOff)};
  EXPECT_EQ(first_off(layers)->tensor, "tanh1.out");
  EXPECT_EQ(first_off({with_ratio("conv1.out", 1)}), nullptr);
}

TEST(GradientOff, IsInTheLayerNearestTheLoss) {
  const auto model = ready_model("lenet5");
  const std::vector<Deviation> gradients = {with_ratio("conv1.weight.grad", 9 * kOff),
                                            with_ratio("conv1.bias.grad", 9 * kOff),
                                            with_ratio("conv3.weight.grad", kOff),
                                            with_ratio("conv3.bias.grad", 2 * kOff),
                                            with_ratio("fc1.weight.grad", kFine),
                                            with_ratio("fc1.bias.grad", kFine)};
  EXPECT_EQ(gradient_off(model, gradients)->tensor, "conv3.bias.grad");
}

TEST(GradientOff, IsTheWeightWhereTheBiasIsRight) {
  const auto model = ready_model("lenet5");
  const std::vector<Deviation> gradients = {with_ratio("fc1.weight.grad", kFine),
                                            with_ratio("fc2.weight.grad", kOff),
                                            with_ratio("fc2.bias.grad", kFine)};
  EXPECT_EQ(gradient_off(model, gradients)->tensor, "fc2.weight.grad");
  EXPECT_EQ(gradient_off(model, {with_ratio("fc1.weight.grad", kFine)}), nullptr);
}

}  // namespace
}  // namespace crossbind::judge
