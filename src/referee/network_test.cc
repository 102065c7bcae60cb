#include "referee/network.h"

#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::referee {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

TEST(Network, RefusesMissingAndMisshapenParameters) {
  const auto model = conform_model("lenet1");
  Network<double> network(model, {}, {});
  auto values = make_parameters(model, 1);
  values.erase("fc.bias");
  EXPECT_THAT(network.load(values), fails_with(HasSubstr("no value for parameter 'fc.bias'")));
  values["fc.bias"] = tensor::Tensor({3}, std::vector<float>(3));
  EXPECT_THAT(network.load(values),
              fails_with(HasSubstr("'fc.bias' has shape [3], the model needs [10]")));
  values["fc.bias"] = tensor::Tensor({10}, std::vector<int64_t>(10));
  EXPECT_THAT(network.load(values), fails_with(HasSubstr("holds I64")));
}

TEST(Network, RoundTripsItsParameters) {
  const auto model = conform_model("vgg-small");
  Network<double> network(model, {}, {});
  const auto values = make_parameters(model, 1);
  ASSERT_THAT(network.load(values), is_ok());
  for (const auto& [name, tensor] : network.parameters_as_float32()) {
    const auto expected = values.at(name).view().as<float>().value();
    const auto actual = tensor.view().as<float>().value();
    EXPECT_TRUE(std::ranges::equal(expected, actual)) << name;
  }
}

TEST(Network, TrainsTheSameWhateverTheThreads) {
  for (const auto* id : {"lenet5", "resnet20", "gru", "bert-base"}) {
    const auto model = conform_model(id);
    const auto batch = make_batch<double>(model, 40, 2);  // three pieces of samples
    std::vector<tensor::TensorMap> results;
    for (const int threads : {1, 3}) {
      Network<double> network(model, {.threads = threads}, {.seed = 9});
      ASSERT_THAT(network.load(make_parameters(model, 1)), is_ok());
      network.train_step(batch.inputs, batch.targets);
      network.train_step(batch.inputs, batch.targets);
      results.push_back(network.parameters_as_float32());
    }
    for (const auto& [name, tensor] : results[0]) {
      EXPECT_TRUE(std::ranges::equal(tensor.view().bytes, results[1].at(name).view().bytes))
          << id << " " << name;
    }
  }
}

TEST(Network, RoundsOutputsToFloat32WhenAsked) {
  const auto model = conform_model("lenet5");
  const auto batch = make_batch<double>(model, 4, 2);
  for (const bool rounds : {false, true}) {
    Network<double> network(model, {.rounds_outputs = rounds}, {});
    ASSERT_THAT(network.load(make_parameters(model, 1)), is_ok());
    network.forward(batch.inputs, Mode::kTrain);
    bool is_float32 = true;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      is_float32 = is_float32 && std::ranges::all_of(network.output(i).values, [](double value) {
                     return value == static_cast<double>(static_cast<float>(value));
                   });
    }
    EXPECT_EQ(is_float32, rounds);
  }
}

TEST(Network, LearnsASmallBatchByHeart) {
  const auto model = conform_model("lenet5");
  Network<double> network(model, {}, {});
  ASSERT_THAT(network.load(make_parameters(model, 1)), is_ok());
  const auto batch = make_batch<double>(model, 8, 2);
  const double first = network.train_step(batch.inputs, batch.targets);
  double last = first;
  for (int i = 0; i < 300; ++i) {
    last = network.train_step(batch.inputs, batch.targets);
  }
  EXPECT_LT(last, first / 10);
}

TEST(Network, EvaluationTurnsDropoutOffAndTrainingDrawsANewMaskEachStep) {
  const auto model = conform_model("vgg16");
  Network<double> network(model, {}, {.enabled = true, .seed = 4});
  ASSERT_THAT(network.load(make_parameters(model, 1)), is_ok());
  const auto batch = make_batch<double>(model, 4, 2);
  const auto output = [&](Mode mode) {
    network.forward(batch.inputs, mode);
    return network.output().values;
  };
  EXPECT_EQ(output(Mode::kEvaluate), output(Mode::kEvaluate));
  const auto first = output(Mode::kTrain);
  EXPECT_EQ(first, output(Mode::kTrain));  // the same step draws the same mask
  network.step() = 1;
  EXPECT_NE(first, output(Mode::kTrain));
}

TEST(Network, EvaluationUsesRunningStatisticsAndTrainingUpdatesThem) {
  const auto model = conform_model("vgg-small");
  Network<double> network(model, {}, {.enabled = false});
  ASSERT_THAT(network.load(make_parameters(model, 1)), is_ok());
  const auto batch = make_batch<double>(model, 8, 2);
  network.forward(batch.inputs, Mode::kEvaluate);
  const auto one_by_one = make_batch<double>(model, 1, 2);
  const auto whole = network.output().values;
  network.forward(one_by_one.inputs, Mode::kEvaluate);
  // In evaluation a sample's output does not depend on its neighbours, but for the rounding of
  // products that are cut into panels by the size of the batch.
  for (int64_t j = 0; j < network.output().size(); ++j) {
    EXPECT_NEAR(network.output()[j], whole[static_cast<size_t>(j)], 1e-14);
  }
  const auto before = network.parameters_as_float32();
  network.train_step(batch.inputs, batch.targets);
  const auto after = network.parameters_as_float32();
  for (const auto& parameter : model.parameters) {
    EXPECT_FALSE(std::ranges::equal(before.at(parameter.name).view().bytes,
                                    after.at(parameter.name).view().bytes))
        << parameter.name;
  }
}

}  // namespace
}  // namespace crossbind::referee
