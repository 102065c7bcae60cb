#include "graph_module.h"

#include <set>

#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

model::Model parse(const std::string& layers, const std::string& inputs) {
  return model::parse_model(
             "id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\nloss = \"cross_entropy\"\n"
             "init = \"fan_in_uniform\"\nbatch = 2\nlayers = [\n" +
                 layers + "\n]\n[inputs]\n" + inputs +
                 "\n[optimizer]\ntype = \"sgd\"\nrate = 0.1\nmomentum = 0.0\n",
             "test",
             model::Geometry::kFull)
      .value();
}

model::Model load(const std::string& path) {
  return model::load_model(testing::source_path(path), model::Geometry::kConform).value();
}

std::vector<torch::Tensor> ones_for(const model::Model& model, int64_t samples) {
  std::vector<torch::Tensor> inputs;
  for (const model::Input& input : model.inputs) {
    std::vector<int64_t> shape = {samples};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    inputs.push_back(
        torch::ones(shape, torch::dtype(input.is_integer() ? torch::kLong : torch::kFloat32)));
  }
  return inputs;
}

const std::vector<std::string> kModels = {"workers/pytorch-python/tests/images.toml",
                                          "workers/pytorch-python/tests/sequence.toml",
                                          "models/bert-base.toml",
                                          "models/lenet5.toml",
                                          "models/vgg16.toml"};

TEST(GraphModule, GivesEveryLayerTypeTheShapesAndParametersOfTheModel) {
  std::set<std::string> seen;
  for (const std::string& path : kModels) {
    const model::Model model = load(path);
    for (const std::string& type : model::layer_types(model)) {
      seen.insert(type);
    }
    GraphModule module(model);
    const auto outputs = module->forward_all(ones_for(model, 3));
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<int64_t> expected = {3};
      expected.insert(expected.end(), model.nodes[i].output.begin(), model.nodes[i].output.end());
      EXPECT_EQ(outputs[i].sizes().vec(), expected) << path << ": " << model.nodes[i].name;
    }
    ASSERT_EQ(module->tensors().size(), model.parameters.size()) << path;
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      EXPECT_EQ(module->tensors()[i].name, model.parameters[i].name);
      EXPECT_EQ(module->tensors()[i].tensor.sizes().vec(), model.parameters[i].shape);
    }
  }
  const auto all = model::all_layer_types();
  EXPECT_EQ(seen, std::set<std::string>(all.begin(), all.end()));
}

TEST(GraphModule, DropsOutInTrainingAndNotInEvaluationHoweverDeepTheLayerIs) {
  const model::Model model = parse(
      R"({ name = "a", layers = [ { name = "b", layers = [ { name = "drop", type = "dropout", rate = 0.5 } ] } ] },
         { name = "fc", type = "linear", out = 2, bias = false })",
      "x = { shape = [64] }");
  GraphModule module(model);
  const auto inputs = ones_for(model, 1);
  module->eval();
  EXPECT_TRUE(torch::equal(module->forward_all(inputs)[0], inputs[0]));
  module->train();
  EXPECT_FALSE(torch::equal(module->forward_all(inputs)[0], inputs[0]));
}

TEST(GraphModule, KeepsTheSecondBiasOfAOneBiasLayerAtZeroAndToItself) {
  for (const std::string layer : {R"("lstm")", R"("gru", reset_after = true)"}) {
    const model::Model model =
        parse(R"({ name = "r", type = )" + layer +
                  R"(, hidden = 3, biases = 1, recurrent_activation = "sigmoid" },
                   { name = "last", type = "select_last" })",
              "x = { shape = [4, 2] }");
    GraphModule module(model);
    std::vector<std::string> names;
    for (const NamedTensor& named : module->tensors()) {
      names.push_back(named.name);
    }
    EXPECT_THAT(names, ::testing::ElementsAre("r.weight_ih", "r.weight_hh", "r.bias_ih"));
    module->forward(ones_for(model, 2)).sum().backward();
    const torch::Tensor second = module->named_parameters()["r.bias_hh_l0"];
    EXPECT_FALSE(second.grad().defined());
    EXPECT_EQ(second.abs().sum().item<float>(), 0);
  }
}

}  // namespace
}  // namespace crossbind::worker
