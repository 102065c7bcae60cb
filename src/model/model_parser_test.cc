#include <map>

#include "model/model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::ElementsAre;
using testing::is_ok;

// A right file around these layers.
Model model_of(const std::string& layers,
               const std::string& inputs = "image = { shape = [2, 6, 6] }",
               Geometry geometry = Geometry::kFull) {
  auto model =
      parse_model(
          R"(id = "mine"
title = "A model"
dataset = "mnist"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 32
layers = [)" + layers +
              R"(]
[inputs]
)" + inputs + R"(
[sizes]
width = 4
times = 3
[optimizer]
type = "sgd"
rate = 0.05
momentum = 0.9
weight_decay = { value = 1e-4, form = "decoupled", applies_to = "weights" }
[conform]
batch = 8
sizes = { times = 1 }
)",
          "mine.toml",
          geometry);
  EXPECT_THAT(model, is_ok());
  return model ? *model : Model{};
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& node : model.nodes) {
    names.push_back(node.name);
  }
  return names;
}

const std::string kHead = R"({ name = "flatten", type = "flatten" },
  { name = "fc", type = "linear", out = 10, bias = true })";

TEST(ModelParser, ChainsLayersThatSayNothingElse) {
  const Model model = model_of(R"({ name = "relu", type = "relu" },)" + kHead);
  EXPECT_THAT(names_of(model), ElementsAre("relu", "flatten", "fc"));
  EXPECT_THAT(model.nodes[0].inputs, ElementsAre(Source{true, 0}));
  EXPECT_THAT(model.nodes[2].inputs, ElementsAre(Source{false, 1}));
  EXPECT_EQ(model.nodes[1].output, Shape{72});
}

TEST(ModelParser, ReadsArraysOfTablesAsWell) {
  const auto model = parse_model(R"(id = "mine"
title = "A model"
dataset = "mnist"
loss = "binary_cross_entropy"
init = "normal"
batch = 1
inputs.features.shape = [3]
optimizer = { type = "sgd", rate = 1, momentum = 0 }
[[layers]]
name = "fc"
type = "linear"
out = 1
bias = false
)",
                                 "mine.toml",
                                 Geometry::kConform);
  ASSERT_THAT(model, is_ok());
  EXPECT_EQ(model->parameter_count(), 3);
  EXPECT_EQ(model->batch, 1) << "without [conform] the geometry is the full one";
  EXPECT_EQ(std::get<Sgd>(model->optimizer).rate, 1.0);
}

TEST(ModelParser, RepeatsBlocksAndCountsFromZero) {
  const std::string layers = R"({ repeat = "$times", name = "stage.{i}", layers = [
      { name = "relu", type = "relu" },
      { name = "add", type = "add", from = ["relu", "@input"] },
    ] },)" + kHead;
  const Model model = model_of(layers);
  EXPECT_THAT(names_of(model),
              ElementsAre("stage.0.relu",
                          "stage.0.add",
                          "stage.1.relu",
                          "stage.1.add",
                          "stage.2.relu",
                          "stage.2.add",
                          "flatten",
                          "fc"));
  EXPECT_THAT(model.nodes[1].inputs, ElementsAre(Source{false, 0}, Source{true, 0}));
  EXPECT_THAT(model.nodes[3].inputs, ElementsAre(Source{false, 2}, Source{false, 1}));
  const Model narrow = model_of(layers, "image = { shape = [2, 6, 6] }", Geometry::kConform);
  EXPECT_THAT(names_of(narrow), ElementsAre("stage.0.relu", "stage.0.add", "flatten", "fc"));
  EXPECT_EQ(narrow.batch, 8);
}

TEST(ModelParser, LooksNamesUpInTheBlockThenAroundItThenEverywhere) {
  const Model model = model_of(R"({ name = "relu", type = "relu" },
    { repeat = 2, name = "outer.{i}", layers = [
      { name = "tanh", type = "tanh" },
      { name = "inner", layers = [
        { name = "relu", type = "relu" },
        { name = "own", type = "add", from = ["relu", "@input"] },
        { name = "around", type = "add", from = ["own", "tanh"] },
        { name = "whole", type = "add", from = ["around", "outer.0.tanh"] },
        { name = "input", type = "add", from = ["whole", "image"] },
      ] },
    ] },)" + kHead);
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    index[model.nodes[i].name] = i;
  }
  const auto second_input = [&](const std::string& name) {
    return model.nodes[index.at("outer.1.inner." + name)].inputs[1];
  };
  EXPECT_EQ(model.nodes[index.at("outer.1.inner.own")].inputs[0],
            (Source{false, index.at("outer.1.inner.relu")}));
  EXPECT_EQ(second_input("own"), (Source{false, index.at("outer.1.tanh")}));
  EXPECT_EQ(second_input("around"), (Source{false, index.at("outer.1.tanh")}));
  EXPECT_EQ(second_input("whole"), (Source{false, index.at("outer.0.tanh")}));
  EXPECT_EQ(second_input("input"), (Source{true, 0}));
}

TEST(ModelParser, KeepsTheInputsInTheOrderOfTheFile) {
  const Model model =
      model_of(R"({ name = "add", type = "add", from = ["second", "first"] },)" + kHead,
               "second = { shape = [4] }\nfirst = { shape = [\"$width\"] }");
  ASSERT_EQ(model.inputs.size(), 2U);
  EXPECT_EQ(model.inputs[0].name, "second");
  EXPECT_EQ(model.inputs[1].shape, Shape{4});
  EXPECT_FALSE(model.inputs[1].is_integer());
}

TEST(ModelParser, ReadsEveryConventionAsWritten) {
  const Model model = model_of(R"(
    { name = "conv", type = "conv2d", out = "$width", kernel = [3, 2], stride = [1, 2], pads = [1, 0, 2, 1], bias = false },
    { name = "bn", type = "batchnorm", epsilon = 1e-3, momentum = 0.01, running_variance = "biased" },
    { name = "pool", type = "avg_pool2d", kernel = 2, stride = 1, pads = 1, count_padding = true },
    { name = "pad", type = "pad", pads = [0, 1, 2, 3], value = -1 },)" +
                               kHead);
  const auto& conv = std::get<Conv2d>(model.nodes[0].layer);
  EXPECT_EQ(conv.kernel, (Pair{3, 2}));
  EXPECT_EQ(conv.stride, (Pair{1, 2}));
  EXPECT_EQ(conv.pads, (Pads{1, 0, 2, 1}));
  EXPECT_EQ(conv.out_channels, 4);
  EXPECT_FALSE(conv.bias);
  const auto& norm = std::get<BatchNorm>(model.nodes[1].layer);
  EXPECT_EQ(norm.epsilon, 1e-3);
  EXPECT_EQ(norm.momentum, 0.01);
  EXPECT_EQ(norm.running_variance, RunningVariance::kBiased);
  EXPECT_TRUE(std::get<AvgPool2d>(model.nodes[2].layer).count_padding);
  EXPECT_EQ(std::get<AvgPool2d>(model.nodes[2].layer).pads, (Pads{1, 1, 1, 1}));
  EXPECT_EQ(std::get<Pad>(model.nodes[3].layer).value, -1.0);
  const auto& decay = std::get<Sgd>(model.optimizer).weight_decay;
  EXPECT_EQ(decay.value, 1e-4);
  EXPECT_EQ(decay.form, DecayForm::kDecoupled);
  EXPECT_EQ(decay.applies_to, DecayApplies::kWeights);
}

TEST(ModelParser, ReadsTheExampleOfTheDocumentation) {
  const std::string page = read_file(testing::source_path("docs/model-files.md")).value();
  const std::string opening = "```toml\n";
  const auto begin = page.find(opening) + opening.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  for (const auto geometry : {Geometry::kFull, Geometry::kConform}) {
    EXPECT_THAT(parse_model(example, "docs/model-files.md", geometry), is_ok());
  }
}

TEST(ModelParser, FindsNodesByName) {
  const Model model = model_of(kHead);
  ASSERT_NE(model.find("fc"), nullptr);
  EXPECT_EQ(model.find("fc")->output, Shape{10});
  EXPECT_EQ(model.find("fc2"), nullptr);
}

}  // namespace
}  // namespace crossbind::model
