#include "model/parameters.h"

#include <cmath>
#include <map>

#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> described(const Layer& layer) {
  std::vector<std::string> lines;
  for (const auto& parameter : parameters_of(layer, "n", {})) {
    lines.push_back(fmt::format("{} {} {}",
                                parameter.name,
                                tensor::to_string(parameter.shape),
                                name_in(kRoles, parameter.role)));
  }
  return lines;
}

TEST(Parameters, HaveCanonicalNamesShapesAndRoles) {
  EXPECT_THAT(described(Conv2d{3, 8, {5, 4}, {1, 1}, {}, true}),
              ElementsAre("n.weight [8, 3, 5, 4] weight", "n.bias [8] bias"));
  EXPECT_THAT(described(Conv2d{3, 8, {5, 4}, {1, 1}, {}, false}),
              ElementsAre("n.weight [8, 3, 5, 4] weight"));
  EXPECT_THAT(described(Linear{84, 10, true}),
              ElementsAre("n.weight [10, 84] weight", "n.bias [10] bias"));
  EXPECT_THAT(described(BatchNorm{7}),
              ElementsAre("n.weight [7] scale",
                          "n.bias [7] shift",
                          "n.running_mean [7] running_mean",
                          "n.running_var [7] running_variance"));
  EXPECT_THAT(described(LayerNorm{7}), ElementsAre("n.weight [7] scale", "n.bias [7] shift"));
  EXPECT_THAT(described(Embedding{EmbeddingKind::kToken, 9, 4}),
              ElementsAre("n.weight [9, 4] weight"));
  EXPECT_THAT(
      described(Lstm{3, 5, 1}),
      ElementsAre(
          "n.weight_ih [20, 3] weight", "n.weight_hh [20, 5] weight", "n.bias_ih [20] bias"));
  EXPECT_THAT(described(Gru{3, 5, 2}),
              ElementsAre("n.weight_ih [15, 3] weight",
                          "n.weight_hh [15, 5] weight",
                          "n.bias_ih [15] bias",
                          "n.bias_hh [15] bias"));
  EXPECT_THAT(described(SelfAttention{6, 2}),
              ElementsAre("n.query.weight [6, 6] weight",
                          "n.query.bias [6] bias",
                          "n.key.weight [6, 6] weight",
                          "n.key.bias [6] bias",
                          "n.value.weight [6, 6] weight",
                          "n.value.bias [6] bias",
                          "n.output.weight [6, 6] weight",
                          "n.output.bias [6] bias"));
  EXPECT_THAT(described(Relu{}), ElementsAre());
}

TEST(Parameters, AreTrainedUnlessTheyAreRunningStatistics) {
  for (const auto& parameter : parameters_of(BatchNorm{7}, "n", {})) {
    EXPECT_EQ(is_trainable(parameter.role), !parameter.name.starts_with("n.running"));
  }
}

struct Rule {
  InitRule rule;
  Layer layer;
  size_t index;
  Distribution distribution;
  double amount;
};

// The amounts are written out by hand from the rules: fan_in = in * kh * kw, fan_out likewise.
TEST(Parameters, AreDrawnByTheRuleOfTheirLayer) {
  using enum Distribution;
  const Conv2d conv = {3, 8, {5, 4}, {1, 1}, {}, true};
  const Lstm lstm = {3, 5, 2};
  const Embedding embedding = {EmbeddingKind::kToken, 9, 8};
  const std::vector<Rule> rules = {
      {InitRule::kFanInUniform, conv, 0, kUniform, 1 / std::sqrt(60.0)},
      {InitRule::kFanInUniform, conv, 1, kUniform, 1 / std::sqrt(60.0)},
      {InitRule::kGlorotUniform, conv, 0, kUniform, std::sqrt(6 / 220.0)},
      {InitRule::kGlorotUniform, conv, 1, kZeros, 0},
      {InitRule::kKaimingNormal, conv, 0, kNormal, std::sqrt(2 / 60.0)},
      {InitRule::kKaimingNormal, conv, 1, kZeros, 0},
      {InitRule::kNormal, conv, 0, kNormal, 0.02},
      {InitRule::kNormal, conv, 1, kZeros, 0},
      {InitRule::kFanInUniform, Linear{16, 4, true}, 1, kUniform, 0.25},
      {InitRule::kFanInUniform, lstm, 0, kUniform, 1 / std::sqrt(5.0)},
      {InitRule::kFanInUniform, lstm, 3, kUniform, 1 / std::sqrt(5.0)},
      {InitRule::kGlorotUniform, lstm, 0, kUniform, std::sqrt(6 / 23.0)},
      {InitRule::kGlorotUniform, lstm, 1, kUniform, std::sqrt(6 / 25.0)},
      {InitRule::kGlorotUniform, lstm, 2, kZeros, 0},
      {InitRule::kKaimingNormal, lstm, 0, kNormal, std::sqrt(2 / 3.0)},
      {InitRule::kFanInUniform, embedding, 0, kNormal, 1},
      {InitRule::kGlorotUniform, embedding, 0, kUniform, 0.05},
      {InitRule::kKaimingNormal, embedding, 0, kNormal, 0.5},
      {InitRule::kNormal, embedding, 0, kNormal, 0.02},
      {InitRule::kFanInUniform, BatchNorm{7}, 0, kOnes, 0},
      {InitRule::kFanInUniform, BatchNorm{7}, 1, kZeros, 0},
      {InitRule::kFanInUniform, BatchNorm{7}, 2, kZeros, 0},
      {InitRule::kFanInUniform, BatchNorm{7}, 3, kOnes, 0},
  };
  for (const auto& rule : rules) {
    SCOPED_TRACE(fmt::format(
        "{} of {} {}", name_in(kInitRules, rule.rule), type_name(rule.layer), rule.index));
    const auto initial =
        parameters_of(rule.layer, "n", {rule.rule, std::nullopt}).at(rule.index).initial;
    EXPECT_EQ(initial.distribution, rule.distribution);
    EXPECT_EQ(initial.amount, rule.amount);
  }
}

TEST(Parameters, GiveAnLstmsForgetGateItsBias) {
  const auto parameters = parameters_of(Lstm{3, 5, 2}, "n", {InitRule::kGlorotUniform, 1.0});
  EXPECT_EQ(parameters[2].name, "n.bias_ih");
  EXPECT_EQ(parameters[2].initial.forget_begin, 5);
  EXPECT_EQ(parameters[2].initial.forget_end, 10);
  EXPECT_EQ(parameters[2].initial.forget_value, 1.0);
  EXPECT_EQ(parameters[3].initial.forget_end, 0) << "bias_hh is left alone";
}

}  // namespace
}  // namespace crossbind::model
