#include "native_graph.h"

#include <algorithm>
#include <set>

#include "layouts.h"
#include "model/features.h"
#include "models.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

model::Model load(const std::string& path) {
  return model::load_model(testing::source_path(path), model::Geometry::kConform).value();
}

NativeTensor filled(tensor::DType dtype, const tensor::Shape& shape, float value) {
  NativeTensor tensor(dtype, shape);
  if (dtype == tensor::DType::kI64) {
    std::ranges::fill(std::span(reinterpret_cast<int64_t*>(tensor.bytes().data()),
                                tensor.bytes().size() / sizeof(int64_t)),
                      static_cast<int64_t>(value));
  } else {
    std::ranges::fill(std::span(reinterpret_cast<float*>(tensor.bytes().data()),
                                tensor.bytes().size() / sizeof(float)),
                      value);
  }
  return tensor;
}

tensor::Shape batch_shape(int64_t samples, const tensor::Shape& sample) {
  tensor::Shape shape = {samples};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return native_shape(shape, batch_axes(shape.size()));
}

std::vector<float> floats(const NativeTensor& tensor) {
  const auto view = tensor.view();
  const auto* begin = reinterpret_cast<const float*>(view.bytes.data());
  return {begin, begin + view.bytes.size() / sizeof(float)};
}

// A graph that runs, with all parameters and inputs at one value.
struct Running {
  explicit Running(const model::Model& model, float parameters = 0.1F)
      : graph(build_graph(model, 1)),
        session(graph.definition, 1) {
    const auto axes = parameter_axes(model);
    for (size_t i = 0; i < axes.size(); ++i) {
      assign(
          graph.parameters[i],
          filled(
              tensor::DType::kF32, native_shape(model.parameters[i].shape, axes[i]), parameters));
    }
    for (const GraphMoment& moment : graph.moments) {
      assign(moment.variable,
             filled(tensor::DType::kF32,
                    native_shape(model.parameters[moment.parameter].shape, axes[moment.parameter]),
                    0));
    }
    for (size_t i = 0; i < model.inputs.size(); ++i) {
      const auto type = model.inputs[i].is_integer() ? tensor::DType::kI64 : tensor::DType::kF32;
      feeds.emplace_back(graph.inputs[i], filled(type, batch_shape(3, model.inputs[i].shape), 1));
    }
    for (const std::string& target : graph.targets) {
      feeds.emplace_back(target, filled(tensor::DType::kI64, {3}, 0));
    }
  }

  void assign(const GraphVariable& variable, const NativeTensor& value) {
    session.run({{variable.given, value}}, {}, {variable.assign});
  }
  [[nodiscard]] Feeds training(int64_t step, float dropout) const {
    Feeds all = feeds;
    all.emplace_back(graph.training->step, NativeTensor::scalar(step));
    all.emplace_back(graph.training->draw, NativeTensor::scalar(step));
    all.emplace_back(graph.training->dropout, NativeTensor::scalar(dropout));
    return all;
  }

  NativeGraph graph;
  GraphSession session;
  Feeds feeds;
};

// What the test models of tensorflow/python do not have.
model::Model the_rest() {
  return parse_layers(
      R"({ name = "conv", type = "conv2d", out = 2, kernel = 3, stride = 2, pads = "same", bias = true },
         { name = "relu", type = "relu" },
         { name = "tanh", type = "tanh" },
         { name = "gelu", type = "gelu" },
         { name = "mean", type = "global_avg_pool" })",
      "image = { shape = [2, 5, 4] }");
}

TEST(NativeGraph, GivesEveryLayerTypeTheShapesOfTheModelInBothModes) {
  std::set<std::string> seen;
  const std::string folder = "workers/tensorflow-python/tests/";
  for (const model::Model& model :
       {load(folder + "images.toml"), load(folder + "sequence.toml"), the_rest()}) {
    std::ranges::copy(model::layer_types(model), std::inserter(seen, seen.end()));
    Running running(model);
    const auto evaluated = running.session.run(running.feeds, running.graph.outputs);
    const TrainingNodes& nodes = *running.graph.training;
    const auto trained = running.session.run(running.training(1, 1), nodes.outputs, {nodes.update});
    for (size_t i = 0; i < evaluated.size(); ++i) {
      const tensor::Shape expected = batch_shape(3, model.nodes[i].output);
      EXPECT_EQ(evaluated[i].view().shape, expected) << model.nodes[i].name;
      EXPECT_EQ(trained[i].view().shape, expected) << model.nodes[i].name;
    }
    EXPECT_THAT(running.graph.parameters, SizeIs(model.parameters.size()));
  }
  const auto all = model::all_layer_types();
  EXPECT_EQ(seen, std::set<std::string>(all.begin(), all.end()));
}

TEST(NativeGraph, LooksUpPositionsWhateverTheTokensAre) {
  const model::Model model = parse_layers(
      R"({ name = "place", type = "embedding", kind = "position", entries = 3, width = 1 },
         { name = "flatten", type = "flatten" })",
      "tokens = { shape = [3], entries = 5 }");
  Running running(model);
  NativeTensor rows(tensor::DType::kF32, {3, 1});
  const std::vector<float> values = {7, 8, 9};
  std::ranges::copy(std::as_bytes(std::span(values)), rows.bytes().begin());
  running.assign(running.graph.parameters[0], rows);
  EXPECT_THAT(floats(running.session.run(running.feeds, {running.graph.outputs[1]}).front()),
              ::testing::ElementsAre(7, 8, 9, 7, 8, 9, 7, 8, 9));
}

TEST(NativeGraph, DrawsTheSameMasksForTheSameDrawAndNoneWhereItIsSwitchedOff) {
  const model::Model model = parse_layers(
      R"({ name = "drop", type = "dropout", rate = 0.5 },
         { name = "fc", type = "linear", out = 2, bias = false })",
      "x = { shape = [64] }");
  Running running(model);
  const auto mask = [&](int64_t step, float dropout) {
    return floats(
        running.session.run(running.training(step, dropout), {running.graph.training->outputs[0]})
            .front());
  };
  EXPECT_THAT(mask(1, 0), Each(1));
  EXPECT_THAT(mask(1, 1), Each(::testing::AnyOf(0, 2)));
  EXPECT_EQ(mask(1, 1), mask(1, 1));
  EXPECT_NE(mask(1, 1), mask(2, 1));
  EXPECT_THAT(floats(running.session.run(running.feeds, {running.graph.outputs[0]}).front()),
              Each(1));
}

// The gradient of the first layer needs the second one's weight as it was before the step.
TEST(NativeGraph, UpdatesVariablesOnlyAfterTheBackwardPassHasReadThem) {
  const model::Model model = parse_layers(
      R"({ name = "a", type = "linear", out = 64, bias = false },
         { name = "b", type = "linear", out = 2, bias = false })",
      "x = { shape = [64] }",
      "type = \"sgd\"\nrate = 100.0\nmomentum = 0.0\n");
  Running alone(model);
  const TrainingNodes& nodes = *alone.graph.training;
  const Names gradients = {nodes.gradients[0].second, nodes.gradients[1].second};
  const auto before = alone.session.run(alone.training(1, 1), gradients);
  for (int i = 0; i < 5; ++i) {
    Running running(model);
    const auto during = running.session.run(running.training(1, 1), gradients, {nodes.update});
    EXPECT_EQ(floats(during[0]), floats(before[0]));
    EXPECT_EQ(floats(during[1]), floats(before[1]));
  }
}

TEST(NativeGraph, KeepsThePaddingRowOfAnEmbeddingFromBeingTrained) {
  const std::string layer =
      R"({ name = "words", type = "embedding", kind = "token", entries = 3, width = 2%s },
         { name = "last", type = "select_last" })";
  const auto gradient = [&](const std::string& padding) {
    std::string text = layer;
    text.replace(text.find("%s"), 2, padding);
    Running running(parse_layers(text, "tokens = { shape = [2], entries = 3 }"));
    return floats(
        running.session.run(running.training(1, 1), {running.graph.training->gradients[0].second})
            .front());
  };
  const auto is_zero = [](float value) { return value == 0; };
  EXPECT_FALSE(std::ranges::all_of(gradient(""), is_zero));  // all tokens are 1
  EXPECT_TRUE(std::ranges::all_of(gradient(", padding_index = 1"), is_zero));
}

TEST(NativeGraph, CannotTrainALongRecurrentLayerButEvaluatesIt) {
  const auto of_length = [](const std::string& length) {
    return parse_layers(
        R"({ name = "r", type = "lstm", hidden = 2, biases = 1, recurrent_activation = "sigmoid" },
           { name = "last", type = "select_last" })",
        "x = { shape = [" + length + ", 2] }");
  };
  EXPECT_TRUE(build_graph(of_length("32"), 1).training.has_value());
  Running running(of_length("33"));
  EXPECT_FALSE(running.graph.training.has_value());
  EXPECT_THAT(floats(running.session.run(running.feeds, {running.graph.outputs[1]}).front()),
              SizeIs(6));
}

}  // namespace
}  // namespace crossbind::worker
