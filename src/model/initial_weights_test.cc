#include "model/initial_weights.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "model/ready_model.h"
#include "tensor/philox.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::Each;

std::span<const float> values_of(const tensor::TensorMap& weights, const std::string& name) {
  return weights.at(name).view().as<float>().value();
}

// The bytes of all parameters, in the model's order.
std::string digest_of(const Model& model, uint32_t seed) {
  const auto weights = initial_weights(model, seed);
  Sha256 digest;
  for (const auto& parameter : model.parameters) {
    digest.update(weights.at(parameter.name).view().bytes);
  }
  return digest.hex();
}

TEST(InitialWeights, AreTheSameBytesOnEveryMachine) {
  EXPECT_EQ(digest_of(ready_model("lenet5"), 1),
            "ad1f84e423639f497fb8cff8c82f594495325a75d2b41cf45f5043382682924b");
  EXPECT_EQ(digest_of(ready_model("lstm-small"), 1),
            "80476ea997930dd5ae42b9c173ea8266f47ee7908540838758a519d29f6d9462");
  EXPECT_EQ(digest_of(ready_model("resnet20", Geometry::kConform), 1),
            "411db56fea23ad36dfe55d2e9944200e0062dd13ac897646bd406aa47186e619");
  EXPECT_EQ(digest_of(ready_model("bert-base", Geometry::kConform), 1),
            "a52467289125fe38f498dc84ba36a896a9ac805bb479b9b0192fc37aeada34d8");
}

TEST(InitialWeights, DifferBySeed) {
  const Model model = ready_model("lenet1");
  EXPECT_NE(digest_of(model, 1), digest_of(model, 2));
  EXPECT_EQ(digest_of(model, 2), digest_of(model, 2));
}

TEST(InitialWeights, ComeFromTheStreamOfTheirNumberRoundedOnce) {
  const Model model = ready_model("lenet1");
  const auto weights = initial_weights(model, 7);
  ASSERT_EQ(model.parameters[2].name, "conv2.weight");
  tensor::PhiloxStream stream(7, tensor::Purpose::kWeights, 2);
  const double amount = 1 / std::sqrt(4.0 * 5 * 5);
  for (const float value : values_of(weights, "conv2.weight")) {
    EXPECT_EQ(value, static_cast<float>((2 * stream.uniform() - 1) * amount));
  }
}

TEST(InitialWeights, HaveEveryParameterWithItsShape) {
  const Model model = ready_model("vgg-small");
  const auto weights = initial_weights(model, 1);
  EXPECT_EQ(weights.size(), model.parameters.size());
  for (const auto& parameter : model.parameters) {
    EXPECT_EQ(weights.at(parameter.name).shape(), parameter.shape);
  }
  EXPECT_THAT(values_of(weights, "bn1_1.weight"), Each(1.0F));
  EXPECT_THAT(values_of(weights, "bn1_1.bias"), Each(0.0F));
  EXPECT_THAT(values_of(weights, "bn1_1.running_mean"), Each(0.0F));
  EXPECT_THAT(values_of(weights, "bn1_1.running_var"), Each(1.0F));
}

class SavedWeightsTest : public testing::ScratchTest {};

TEST_F(SavedWeightsTest, AreTheBytesOfTheMapWrittenAtOnce) {
  const Model model = ready_model("resnet20", Geometry::kConform);
  const tensor::Metadata metadata = {{"model", model.id}};
  ASSERT_THAT(save_initial_weights(scratch("streamed"), model, 3, metadata), testing::is_ok());
  ASSERT_THAT(tensor::save_safetensors(scratch("at once"), initial_weights(model, 3), metadata),
              testing::is_ok());
  EXPECT_EQ(sha256_file(scratch("streamed")).value(), sha256_file(scratch("at once")).value());
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(std::span<const float> values) {
  Moments moments;
  for (const float value : values) {
    moments.mean += value / static_cast<double>(values.size());
  }
  for (const float value : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean);
  }
  moments.variance /= static_cast<double>(values.size());
  return moments;
}

// Bounds are five standard errors: of the mean s/sqrt(n); of the variance s^2 sqrt((k-1)/n), where
// the kurtosis k is 1.8 for the uniform and 3 for the normal distribution.
void expect_moments(std::span<const float> values, double deviation, double kurtosis) {
  const auto n = static_cast<double>(values.size());
  const Moments moments = moments_of(values);
  EXPECT_NEAR(moments.mean, 0, 5 * deviation / std::sqrt(n));
  EXPECT_NEAR(moments.variance,
              deviation * deviation,
              5 * deviation * deviation * std::sqrt((kurtosis - 1) / n));
}

TEST(InitialWeights, FillTheRangeOfTheUniformRule) {
  const auto weights = initial_weights(ready_model("lenet5"), 1);
  const auto values = values_of(weights, "conv3.weight");  // 48,000 values, fan-in 400
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GE(least, -0.05F);
  EXPECT_LE(most, 0.05F);
  EXPECT_GT(most - least, 0.0999F);
  expect_moments(values, 0.05 / std::sqrt(3.0), 1.8);
}

TEST(InitialWeights, HaveTheDeviationOfTheNormalRules) {
  const auto bert = initial_weights(ready_model("bert-base", Geometry::kConform), 1);
  expect_moments(values_of(bert, "encoder.0.up.weight"), 0.02, 3);
  const auto resnet = initial_weights(ready_model("resnet20"), 1);
  expect_moments(values_of(resnet, "stage3.0.conv1.weight"), std::sqrt(2.0 / 576), 3);
  const auto lstm = initial_weights(ready_model("lstm-small"), 1);
  expect_moments(values_of(lstm, "embedding.weight"), 1, 3);
}

TEST(InitialWeights, SetForgetGateAndPaddingRowByRule) {
  const auto model = parse_model(R"(id = "mine"
title = "A model"
dataset = "imdb"
loss = "binary_cross_entropy"
init = "normal"
batch = 1
layers = [
  { name = "embedding", type = "embedding", kind = "token", entries = 4, width = 3, padding_index = 2 },
  { name = "lstm", type = "lstm", hidden = 2, biases = 2, recurrent_activation = "sigmoid", forget_bias = 1.0, init = "fan_in_uniform" },
  { name = "last", type = "select_last" },
  { name = "fc", type = "linear", out = 1, bias = true },
]
[inputs]
tokens = { shape = [5], entries = 4 }
[optimizer]
type = "sgd"
rate = 0.1
momentum = 0
)",
                                 "mine.toml",
                                 Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  const auto weights = initial_weights(*model, 1);
  const auto embedding = values_of(weights, "embedding.weight");
  for (size_t i = 0; i < embedding.size(); ++i) {
    EXPECT_EQ(embedding[i] == 0, i / 3 == 2) << i;
  }
  const auto bias = values_of(weights, "lstm.bias_ih");
  for (size_t i = 0; i < bias.size(); ++i) {
    EXPECT_EQ(bias[i] == 1, i / 2 == 1) << i;
  }
  EXPECT_GT(std::ranges::max(values_of(weights, "lstm.weight_ih")), 0.1F)
      << "the layer's own rule, not the model's";
}

}  // namespace
}  // namespace crossbind::model
