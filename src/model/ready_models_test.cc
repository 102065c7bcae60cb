// Every model in models/: its layers in order, its counts, and both geometries.
#include <algorithm>
#include <set>

#include "model/model.h"
#include "model/ready_model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using Types = std::vector<std::string>;

struct Expected {
  std::string id;
  std::string dataset;
  std::string input;
  Types types;
  int64_t parameters;
  int64_t trainable;
  int64_t batch;
};

Types operator+(Types a, const Types& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Types operator*(int times, const Types& types) {
  Types repeated;
  for (int i = 0; i < times; ++i) {
    repeated = repeated + types;
  }
  return repeated;
}

const Types kTanhStage = {"conv2d", "tanh", "max_pool2d"};
const Types kNormedConv = {"conv2d", "batchnorm", "relu"};
const Types kPool = {"max_pool2d"};
const Types kVggConvs = 2 * (2 * kNormedConv + kPool) + 3 * (3 * kNormedConv + kPool);

Types recurrent(const std::string& cell) {
  return {"embedding", cell, "select_last", "dropout", "linear"};
}

Types resnet20() {
  const Types branch = kNormedConv + Types{"conv2d", "batchnorm"};
  const Types block = branch + Types{"add", "relu"};
  const Types strided = branch + Types{"conv2d", "add", "relu"};
  return kNormedConv + 3 * block + 2 * (strided + 2 * block) + Types{"global_avg_pool", "linear"};
}

Types bert(int blocks) {
  return Types{"embedding", "embedding", "embedding", "add", "add", "layernorm", "dropout"} +
         blocks * Types{"self_attention",
                        "dropout",
                        "add",
                        "layernorm",
                        "linear",
                        "gelu",
                        "linear",
                        "dropout",
                        "add",
                        "layernorm"} +
         Types{"linear"};
}

// The totals are the published ones; where only one of the two is published, the other adds or
// leaves out two running statistics per normalised feature.
std::vector<Expected> expected_models() {
  const Types dense = {"linear", "relu", "dropout"};
  const Types normed_dense = {"linear", "batchnorm", "relu", "dropout"};
  const Types lenet5_head = {"linear", "tanh", "linear"};
  const std::string mnist = "[1, 28, 28]";
  const std::string cifar = "[3, 32, 32]";
  return {
      {"bert-base", "squad", "[384]", bert(12), 108'893'186, 108'893'186, 16},
      {"gru", "imdb", "[300]", recurrent("gru"), 4'250'817, 4'250'817, 256},
      {"gru-small", "imdb", "[300]", recurrent("gru"), 338'881, 338'881, 256},
      {"grurb", "imdb", "[300]", recurrent("gru"), 4'249'281, 4'249'281, 256},
      {"lenet1",
       "mnist",
       mnist,
       Types{"pad"} + 2 * kTanhStage + Types{"flatten", "linear"},
       4'326,
       4'326,
       128},
      {"lenet1-valid",
       "mnist",
       mnist,
       2 * kTanhStage + Types{"flatten", "linear"},
       3'246,
       3'246,
       128},
      {"lenet5",
       "mnist",
       mnist,
       Types{"pad"} + 2 * kTanhStage + Types{"conv2d", "tanh", "flatten"} + lenet5_head,
       61'706,
       61'706,
       128},
      {"lenet5-valid",
       "mnist",
       mnist,
       2 * kTanhStage + Types{"flatten", "linear", "tanh"} + lenet5_head,
       44'426,
       44'426,
       128},
      {"lstm", "imdb", "[300]", recurrent("lstm"), 4'665'537, 4'665'537, 256},
      {"lstm-small", "imdb", "[300]", recurrent("lstm"), 344'897, 344'897, 256},
      {"resnet20", "cifar10", cifar, resnet20(), 274'442, 273'066, 128},
      {"vgg-small",
       "cifar10",
       cifar,
       3 * (2 * kNormedConv + kPool) + Types{"flatten"} + dense + Types{"linear"},
       139'002,
       138'554,
       128},
      {"vgg16",
       "cifar10",
       cifar,
       kVggConvs + Types{"flatten"} + 2 * dense + Types{"linear"},
       33'650'890,
       33'642'442,
       128},
      {"vgg16-bn-all",
       "cifar10",
       cifar,
       kVggConvs + Types{"flatten"} + 2 * normed_dense + Types{"linear", "batchnorm"},
       33'687'922,
       33'663'070,
       128},
  };
}

Types types_of(const Model& model) {
  Types types;
  for (const auto& node : model.nodes) {
    types.emplace_back(type_name(node.layer));
  }
  return types;
}

class ReadyModelTest : public ::testing::TestWithParam<Expected> {};

TEST_P(ReadyModelTest, HasTheLayersAndCountsOfItsStudy) {
  const auto model = find_model(GetParam().id, kReadyModels, Geometry::kFull);
  ASSERT_THAT(model, is_ok());
  EXPECT_EQ(model->id, GetParam().id);
  EXPECT_EQ(model->dataset, GetParam().dataset);
  EXPECT_EQ(tensor::to_string(model->inputs[0].shape), GetParam().input);
  EXPECT_EQ(types_of(*model), GetParam().types);
  EXPECT_EQ(model->parameter_count(), GetParam().parameters);
  EXPECT_EQ(model->trainable_count(), GetParam().trainable);
  EXPECT_EQ(model->batch, GetParam().batch);
}

TEST_P(ReadyModelTest, HasTheSameLayersNoLargerAtTheConformGeometry) {
  const auto model = find_model(GetParam().id, kReadyModels, Geometry::kConform);
  ASSERT_THAT(model, is_ok());
  EXPECT_EQ(types_of(*model), GetParam().id == "bert-base" ? bert(2) : GetParam().types);
  EXPECT_LE(model->batch, 8);
  EXPECT_LE(model->parameter_count(), 1'000'000);
  EXPECT_LE(model->parameter_count(), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(All,
                         ReadyModelTest,
                         ::testing::ValuesIn(expected_models()),
                         [](const auto& parameter) {
                           std::string name = parameter.param.id;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ReadyModels, AreExactlyTheExpectedOnesSortedById) {
  const auto files = list_models(kReadyModels);
  ASSERT_THAT(files, is_ok());
  std::vector<std::string> ids;
  for (const auto& file : *files) {
    ids.push_back(file.stem().string());
  }
  std::vector<std::string> expected;
  for (const auto& model : expected_models()) {
    expected.push_back(model.id);
  }
  EXPECT_EQ(ids, expected);
}

TEST(ReadyModels, AreFoundByIdOrByFileAndOtherwiseGuessed) {
  EXPECT_THAT(find_model((kReadyModels / "lenet1.toml").string(), "/dev/null", Geometry::kFull),
              is_ok());
  EXPECT_THAT(find_model("lenet6", kReadyModels, Geometry::kFull),
              fails_with(HasSubstr("Did you mean 'lenet1'?")));
  EXPECT_THAT(find_model("transformer", kReadyModels, Geometry::kFull),
              fails_with(HasSubstr("there is no model 'transformer'")));
  EXPECT_THAT(find_model("lenet1", "/dev/null", Geometry::kFull),
              fails_with(HasSubstr("CROSSBIND_HOME")));
}

TEST(ReadyModels, TrainWithTheOptimizersOfTheirStudies) {
  const auto optimizer = [](const char* id) {
    return find_model(id, kReadyModels, Geometry::kFull).value().optimizer;
  };
  EXPECT_EQ(std::get<Sgd>(optimizer("vgg16")).rate, 0.05);
  EXPECT_EQ(std::get<Sgd>(optimizer("vgg16")).momentum, 0.0);
  EXPECT_EQ(std::get<Sgd>(optimizer("lenet5-valid")).momentum, 0.9);
  EXPECT_EQ(std::get<Sgd>(optimizer("resnet20")).weight_decay.value, 1e-4);
  EXPECT_EQ(std::get<Adam>(optimizer("lstm")).rate, 8e-5);
  EXPECT_EQ(std::get<Adam>(optimizer("gru")).rate, 3e-4);
  EXPECT_EQ(std::get<Adam>(optimizer("bert-base")).rate, 3e-5);
  EXPECT_EQ(std::get<Adam>(optimizer("bert-base")).epsilon, 1e-8);
}

TEST(ReadyModels, NameBertsParametersByBlock) {
  const auto model = find_model("bert-base", kReadyModels, Geometry::kConform);
  ASSERT_THAT(model, is_ok());
  std::vector<std::string> inputs;
  for (const auto& input : model->inputs) {
    inputs.push_back(input.name);
  }
  EXPECT_THAT(inputs, ElementsAre("tokens", "segments", "mask"));
  const Node* attention = model->find("encoder.1.attention");
  ASSERT_NE(attention, nullptr);
  EXPECT_TRUE(std::get<SelfAttention>(attention->layer).masked);
  std::vector<std::string> names;
  for (const size_t index : attention->parameters) {
    names.push_back(model->parameters[index].name);
  }
  EXPECT_THAT(names,
              ElementsAre("encoder.1.attention.query.weight",
                          "encoder.1.attention.query.bias",
                          "encoder.1.attention.key.weight",
                          "encoder.1.attention.key.bias",
                          "encoder.1.attention.value.weight",
                          "encoder.1.attention.value.bias",
                          "encoder.1.attention.output.weight",
                          "encoder.1.attention.output.bias"));
}

TEST(ReadyModels, HaveParametersOfUniqueNames) {
  for (const auto& expected : expected_models()) {
    const auto model = find_model(expected.id, kReadyModels, Geometry::kFull);
    ASSERT_THAT(model, is_ok());
    std::set<std::string> names;
    for (const auto& parameter : model->parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    }
  }
}

}  // namespace
}  // namespace crossbind::model
