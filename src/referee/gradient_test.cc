// Every layer's gradients against central differences, in float64. Each case is a small model in
// which the layer under test stands behind one with parameters, so that its input gradient counts.
#include "model/features.h"
#include "model/model.h"
#include "referee/network.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::referee {
namespace {

struct Case {
  const char* name;
  const char* inputs;
  const char* loss;
  const char* layers;
};

const char* const kImage = "image = { shape = [2, 6, 5] }";
const char* const kTokens = "tokens = { shape = [5], entries = 7 }";
const char* const kConv =
    "{ name = 'c', type = 'conv2d', out = 3, kernel = 3, stride = 1, pads = 1, bias = true },";
const char* const kHead =
    "{ name = 'flat', type = 'flatten' }, { name = 'fc', type = 'linear', out = 4, bias = true }";
const char* const kEmbed =
    "{ name = 'e', type = 'embedding', kind = 'token', entries = 7, width = 4 },";

std::string model_text(const Case& c, bool image) {
  std::string text =
      "id = 'case'\ntitle = 'case'\ndataset = 'none'\ninit = 'fan_in_uniform'\nbatch = 3\n";
  text += std::string("loss = '") + c.loss + "'\nlayers = [\n";
  text += std::string(image ? kConv : "") + c.layers;
  text += "]\n[inputs]\n" + std::string(c.inputs) +
          "\n[optimizer]\ntype = 'sgd'\nrate = 0.1\nmomentum = 0.0\n";
  return text;
}

double loss_of(Network<double>& network, const TestBatch<double>& batch) {
  network.forward(batch.inputs, Mode::kTrain);
  return compute_loss(network.model().loss, network.math(), network.output(), batch.targets).value;
}

void expect_gradients_match(const model::Model& model) {
  Network<double> network(model, {}, {.enabled = true, .seed = 5});
  ASSERT_THAT(network.load(make_parameters(model, 3)), testing::is_ok());
  const auto batch = make_batch<double>(model, 3, 11);
  network.forward(batch.inputs, Mode::kTrain);
  network.backward(batch.inputs, batch.targets);
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    if (!model::is_trainable(model.parameters[p].role)) {
      continue;
    }
    const auto analytic = network.gradient(p);
    double largest = 0;
    double error = 0;
    for (int64_t i = 0; i < analytic.size(); ++i) {
      // The truncation error falls with the square of the step, rounding grows with its inverse:
      // both are below 1e-9 of a gradient of size one here.
      constexpr double kStep = 1e-5;
      double& value = network.parameter(p)[i];
      const double kept = value;
      value = kept + kStep;
      const double above = loss_of(network, batch);
      value = kept - kStep;
      const double below = loss_of(network, batch);
      value = kept;
      const double numeric = (above - below) / (2 * kStep);
      largest = std::max(largest, std::abs(numeric));
      error = std::max(error, std::abs(numeric - analytic[i]));
    }
    // A gradient that is zero by construction (a bias before a batch norm) has nothing to compare
    // to.
    EXPECT_LT(error, 1e-6 * std::max(largest, 1e-4)) << model.parameters[p].name;
  }
}

// The gradients of the inputs, in both modes: in evaluation a batch norm is a factor that depends
// on no sample, and nothing is dropped.
void expect_input_gradients_match(const model::Model& model, Mode mode) {
  Network<double> network(model, {}, {.enabled = true, .seed = 5});
  ASSERT_THAT(network.load(make_parameters(model, 3)), testing::is_ok());
  auto batch = make_batch<double>(model, 3, 11);
  const auto loss = [&] {
    network.forward(batch.inputs, mode);
    return compute_loss(network.model().loss, network.math(), network.output(), batch.targets)
        .value;
  };
  network.forward(batch.inputs, mode);
  network.backward(batch.inputs, batch.targets, InputGradients::kWanted);
  for (size_t input = 0; input < model.inputs.size(); ++input) {
    const auto analytic = network.input_gradient(input);
    if (model.inputs[input].is_integer()) {
      EXPECT_TRUE(analytic.values.empty());
      continue;
    }
    ASSERT_EQ(analytic.shape, batch.inputs[input].shape);
    for (int64_t i = 0; i < analytic.size(); ++i) {
      constexpr double kStep = 1e-5;  // as above
      double& value = batch.inputs[input][i];
      const double kept = value;
      value = kept + kStep;
      const double above = loss();
      value = kept - kStep;
      const double below = loss();
      value = kept;
      EXPECT_NEAR(analytic[i], (above - below) / (2 * kStep), 1e-8);
    }
  }
}

class GradientTest : public ::testing::TestWithParam<Case> {};

TEST_P(GradientTest, OfTheInputsAgreesWithCentralDifferencesInBothModes) {
  const bool image = std::string(GetParam().inputs) == kImage;
  const auto model =
      model::parse_model(model_text(GetParam(), image), "case", model::Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate}) {
    expect_input_gradients_match(*model, mode);
  }
}

TEST_P(GradientTest, AgreesWithCentralDifferences) {
  const bool image = std::string(GetParam().inputs) == kImage;
  const auto model =
      model::parse_model(model_text(GetParam(), image), "case", model::Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  expect_gradients_match(*model);
}

std::string with_head(const std::string& layer) {
  return layer + "," + kHead;
}

const std::vector<Case>& cases() {
  // Owns the composed layer texts for as long as the program runs.
  static const std::vector<std::string> texts = {
      with_head("{ name = 'x', type = 'conv2d', out = 2, kernel = [3, 2], stride = [2, 1], pads = "
                "[1, 0, 2, 1], bias = false }"),
      with_head("{ name = 'x', type = 'conv2d', out = 2, kernel = 3, stride = 2, pads = 'same', "
                "bias = true }"),
      with_head("{ name = 'x', type = 'max_pool2d', kernel = 3, stride = 2, pads = 1 }"),
      with_head("{ name = 'x', type = 'avg_pool2d', kernel = 3, stride = 2, pads = [0, 1, 1, 1], "
                "count_padding = false }"),
      with_head("{ name = 'x', type = 'avg_pool2d', kernel = 2, stride = 1, pads = 1, "
                "count_padding = true }"),
      with_head("{ name = 'x', type = 'global_avg_pool' }"),
      with_head("{ name = 'x', type = 'tanh' }"),
      with_head("{ name = 'x', type = 'relu' }"),
      with_head("{ name = 'x', type = 'sigmoid' }"),
      with_head("{ name = 'x', type = 'gelu' }"),
      with_head("{ name = 'x', type = 'softmax' }"),
      with_head("{ name = 'x', type = 'batchnorm', epsilon = 1e-3, momentum = 0.1, "
                "running_variance = 'unbiased' }"),
      with_head("{ name = 'f', type = 'flatten' }, { name = 'x', type = 'batchnorm', epsilon = "
                "1e-3, momentum = 0.1, running_variance = 'biased' }"),
      with_head("{ name = 'x', type = 'layernorm', epsilon = 1e-5 }"),
      with_head("{ name = 'x', type = 'dropout', rate = 0.4 }"),
      with_head("{ name = 'x', type = 'pad', pads = [1, 0, 2, 1], value = 0.5 }"),
      with_head("{ name = 'r', type = 'relu' }, { name = 'x', type = 'add', from = ['r', 'c'] }"),
      std::string(kEmbed) + kHead,
      with_head("{ name = 'e', type = 'embedding', kind = 'token', entries = 7, width = 4, "
                "padding_index = 2 }"),
      with_head(std::string(kEmbed) +
                "{ name = 'p', type = 'embedding', kind = 'position', entries = 9, width = 4 },"
                "{ name = 'x', type = 'add', from = ['e', 'p'] }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'lstm', hidden = 3, biases = 1, "
                                      "recurrent_activation = 'sigmoid' }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'lstm', hidden = 3, biases = 2, "
                                      "recurrent_activation = 'hard_sigmoid' }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'gru', hidden = 3, biases = 2, "
                                      "reset_after = true, recurrent_activation = 'sigmoid' }"),
      with_head(std::string(kEmbed) +
                "{ name = 'x', type = 'gru', hidden = 3, biases = 1, reset_after = true, "
                "recurrent_activation = 'hard_sigmoid' }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'gru', hidden = 3, biases = 1, "
                                      "reset_after = false, recurrent_activation = 'sigmoid' }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'gru', hidden = 3, biases = 2, "
                                      "reset_after = false, recurrent_activation = 'sigmoid' }"),
      with_head(std::string(kEmbed) + "{ name = 'x', type = 'self_attention', heads = 2 }"),
      with_head("{ name = 'e', type = 'embedding', kind = 'token', entries = 7, width = 4, from = "
                "'tokens' },"
                "{ name = 'x', type = 'self_attention', heads = 2, from = ['e', 'mask'] }"),
      std::string(kEmbed) +
          "{ name = 'x', type = 'select_last' }, { name = 'fc', type = 'linear', out = 1, bias = "
          "true }",
      std::string(kEmbed) + "{ name = 'fc', type = 'linear', out = 2, bias = true }",
  };
  static const std::vector<Case> list = {
      {"Conv2dWithUnevenGeometry", kImage, "cross_entropy", texts[0].c_str()},
      {"Conv2dSamePads", kImage, "cross_entropy", texts[1].c_str()},
      {"MaxPoolOverlapping", kImage, "cross_entropy", texts[2].c_str()},
      {"AvgPoolWithoutPaddingCounted", kImage, "cross_entropy", texts[3].c_str()},
      {"AvgPoolWithPaddingCounted", kImage, "cross_entropy", texts[4].c_str()},
      {"GlobalAvgPool", kImage, "cross_entropy", texts[5].c_str()},
      {"Tanh", kImage, "cross_entropy", texts[6].c_str()},
      {"Relu", kImage, "cross_entropy", texts[7].c_str()},
      {"Sigmoid", kImage, "cross_entropy", texts[8].c_str()},
      {"Gelu", kImage, "cross_entropy", texts[9].c_str()},
      {"Softmax", kImage, "cross_entropy", texts[10].c_str()},
      {"BatchNormOfImages", kImage, "cross_entropy", texts[11].c_str()},
      {"BatchNormOfFeatures", kImage, "cross_entropy", texts[12].c_str()},
      {"LayerNorm", kImage, "cross_entropy", texts[13].c_str()},
      {"Dropout", kImage, "cross_entropy", texts[14].c_str()},
      {"Pad", kImage, "cross_entropy", texts[15].c_str()},
      {"ResidualAdd", kImage, "cross_entropy", texts[16].c_str()},
      {"Embedding", kTokens, "cross_entropy", texts[17].c_str()},
      {"PositionEmbedding", kTokens, "cross_entropy", texts[19].c_str()},
      {"LstmOneBias", kTokens, "cross_entropy", texts[20].c_str()},
      {"LstmTwoBiasesHardSigmoid", kTokens, "cross_entropy", texts[21].c_str()},
      {"GruResetAfter", kTokens, "cross_entropy", texts[22].c_str()},
      {"GruResetAfterOneBiasHardSigmoid", kTokens, "cross_entropy", texts[23].c_str()},
      {"GruResetBefore", kTokens, "cross_entropy", texts[24].c_str()},
      {"GruResetBeforeTwoBiases", kTokens, "cross_entropy", texts[25].c_str()},
      {"SelfAttention", kTokens, "cross_entropy", texts[26].c_str()},
      {"SelfAttentionMasked",
       "tokens = { shape = [5], entries = 7 }\nmask = { shape = [5], entries = 2 }",
       "cross_entropy",
       texts[27].c_str()},
      {"SelectLastAndBinaryLoss", kTokens, "binary_cross_entropy", texts[28].c_str()},
      {"SpanLoss", kTokens, "span_cross_entropy", texts[29].c_str()},
  };
  return list;
}

INSTANTIATE_TEST_SUITE_P(EveryLayer,
                         GradientTest,
                         ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GradientTest, HasACaseOfEveryTypeOfLayer) {
  std::string texts = kConv;
  for (const Case& one : cases()) {
    texts += one.layers;
  }
  for (const std::string& type : model::all_layer_types()) {
    EXPECT_THAT(texts, ::testing::HasSubstr("type = '" + type + "'"));
  }
}

TEST(GradientTest, ThePaddingRowOfAnEmbeddingIsNotTrained) {
  const Case c{"", kTokens, "cross_entropy", ""};
  const std::string layers = with_head(
      "{ name = 'e', type = 'embedding', kind = 'token', entries = 7, width = 4, padding_index = 2 "
      "}");
  auto with_layers = c;
  with_layers.layers = layers.c_str();
  const auto model =
      model::parse_model(model_text(with_layers, false), "case", model::Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  Network<double> network(*model, {}, {});
  ASSERT_THAT(network.load(make_parameters(*model, 3)), testing::is_ok());
  auto batch = make_batch<double>(*model, 3, 11);
  for (int64_t i = 0; i < batch.inputs[0].size(); ++i) {
    batch.inputs[0][i] = static_cast<double>(2 + i % 2);  // rows 2 and 3
  }
  network.forward(batch.inputs, Mode::kTrain);
  network.backward(batch.inputs, batch.targets);
  const auto& gradient = network.gradient(0);
  for (int64_t j = 0; j < 4; ++j) {
    EXPECT_EQ(gradient[2 * 4 + j], 0);
    EXPECT_NE(gradient[3 * 4 + j], 0);
  }
}

}  // namespace
}  // namespace crossbind::referee
