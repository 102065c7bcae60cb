// The referee against PyTorch in float64: what testdata/make_pytorch_fixtures.py stored of two
// training steps and an evaluation of each model is what the referee computes.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>

#include "base/file.h"
#include "model/model.h"
#include "referee/hashed_batch.h"
#include "referee/network.h"
#include "testing/testing.h"

namespace crossbind::referee {
namespace {

// Both sides round in float64 and sum in different orders. One sum of K terms is off by about
// sqrt(K) 2^-53 of its size, 1e-14 for the longest here (K = 8192, a batch norm over a batch). The
// layers of a model each add theirs and pass on, amplified, what they were given: 1.2e-13 is the
// most that any instruction set's kernels show, in a gradient.
constexpr double kFirstStepTolerance = 1e-12;
// The second step starts from parameters that are off by that already, and Adam divides the
// rounding of a gradient that is zero by its epsilon (rate / epsilon = 3000): 2.6e-12 is the most.
constexpr double kAfterTrainingTolerance = 1e-11;

// A gradient below this share of its layer's largest is zero by construction, and what is left of
// it is rounding: a bias before a batch norm, the key bias of an attention, the bias of a span. It
// and its moments are compared in the scale of the layer's largest.
constexpr double kVanishing = 1e-10;

constexpr uint32_t kSteps = 2;

const std::filesystem::path kSource = testing::source_path();

// What the fixture keeps of a tensor.
struct Summary {
  Shape shape;
  double norm = 0;
  double projection = 0;  // on a hashed vector: sees every element and its place
  std::vector<double> values;
};

using Summaries = std::map<std::string, Summary>;

struct Fixture {
  std::string torch;
  std::vector<double> losses;
  Summaries outputs, gradients, parameters, m, v, evaluation;
};

Summaries read_summaries(const nlohmann::json& json) {
  Summaries result;
  for (const auto& [name, summary] : json.items()) {
    result[name] = {summary.at("shape").get<Shape>(),
                    summary.at("norm").get<double>(),
                    summary.at("projection").get<double>(),
                    summary.at("values").get<std::vector<double>>()};
  }
  return result;
}

Fixture read_fixture(const std::string& id) {
  const auto text = read_file(kSource / "src/referee/testdata" / (id + ".json")).value();
  const auto json = nlohmann::json::parse(text);
  return {json.at("torch").get<std::string>(),
          json.at("losses").get<std::vector<double>>(),
          read_summaries(json.at("outputs")),
          read_summaries(json.at("gradients")),
          read_summaries(json.at("parameters")),
          read_summaries(json.at("m")),
          read_summaries(json.at("v")),
          read_summaries(json.at("evaluation"))};
}

// The largest deviation of an array from a summary. Norm and projection count relative to the norm,
// an element relative to itself or to the root mean square, whichever is larger; `scale`, where
// given, stands in for a norm that is zero but for rounding.
double deviation(const Array<double>& actual, const Summary& expected, double scale = 0) {
  if (actual.shape != expected.shape || expected.values.empty()) {
    return std::numeric_limits<double>::infinity();
  }
  // Long double: the comparison adds no rounding of its own.
  long double squares = 0;
  long double projection = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    squares += square(static_cast<long double>(actual[i]));
    projection += static_cast<long double>(actual[i]) * (2 * hashed(kProjection, i) - 1);
  }
  const double size = std::max(expected.norm, scale);
  const double root_mean_square = size / std::sqrt(static_cast<double>(actual.size()));
  double worst = std::max(std::abs(static_cast<double>(std::sqrt(squares)) - expected.norm),
                          std::abs(static_cast<double>(projection) - expected.projection)) /
                 size;
  const auto count = static_cast<int64_t>(expected.values.size());
  for (int64_t k = 0; k < count; ++k) {
    const double value = expected.values[static_cast<size_t>(k)];
    const double off = actual[k * (actual.size() - 1) / std::max<int64_t>(count - 1, 1)] - value;
    worst = std::max(worst, std::abs(off) / std::max(std::abs(value), root_mean_square));
  }
  return worst;
}

// Checks tensor after tensor, and prints the worst at its end.
class Comparison {
 public:
  Comparison(std::string what, double tolerance) : what_(std::move(what)), tolerance_(tolerance) {}
  ~Comparison() { fmt::print("{}: largest deviation {:.1e} ({})\n", what_, worst_, where_); }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  void check(const std::string& name,
             const Array<double>& actual,
             const Summaries& expected,
             double scale = 0) {
    const auto found = expected.find(name);
    ASSERT_NE(found, expected.end()) << name << " is not in the fixture";
    check(name, deviation(actual, found->second, scale));
  }

  void check(const std::string& name, double off) {
    EXPECT_LE(off, tolerance_) << what_ << ": " << name;
    if (off >= worst_) {
      worst_ = off;
      where_ = name;
    }
  }

 private:
  std::string what_;
  double tolerance_;
  double worst_ = 0;
  std::string where_ = "nothing to compare";
};

double norm_of(const Summaries& summaries, const model::Parameter& parameter) {
  const auto found = summaries.find(parameter.name);
  return found == summaries.end() ? 0 : found->second.norm;
}

class PytorchFixture : public ::testing::TestWithParam<std::string> {
 protected:
  PytorchFixture()
      : fixture_(read_fixture(GetParam())),
        model_(
            model::find_model(GetParam(), kSource / "models", model::Geometry::kConform).value()),
        network_(model_, {}, {.enabled = false}) {}

  void SetUp() override {
    ASSERT_THAT(fixture_.torch, ::testing::StartsWith("2.7.1"));
    ASSERT_THAT(network_.load(hashed_parameters(model_)), testing::is_ok());
  }

  void train() {
    for (uint32_t step = 0; step < kSteps; ++step) {
      const auto batch = hashed_batch(model_, step);
      const double loss = network_.train_step(batch.inputs, batch.targets);
      EXPECT_NEAR(loss, fixture_.losses.at(step), kAfterTrainingTolerance * loss)
          << "step " << step;
    }
  }

  // Checks get(p) of every trainable parameter p, each layer's zero gradients in the layer's scale.
  template <typename Get>
  void check_trainable(Comparison& comparison, const Summaries& expected, Get get) {
    size_t count = 0;
    for (const auto& node : model_.nodes) {
      double largest_gradient = 0;
      double largest = 0;
      for (const size_t p : node.parameters) {
        const auto& parameter = model_.parameters[p];
        largest_gradient = std::max(largest_gradient, norm_of(fixture_.gradients, parameter));
        largest = std::max(largest, norm_of(expected, parameter));
      }
      for (const size_t p : node.parameters) {
        const auto& parameter = model_.parameters[p];
        if (model::is_trainable(parameter.role)) {
          const bool vanishes =
              norm_of(fixture_.gradients, parameter) < kVanishing * largest_gradient;
          comparison.check(parameter.name, get(p), expected, vanishes ? largest : 0);
          ++count;
        }
      }
    }
    EXPECT_EQ(expected.size(), count);
  }

  Fixture fixture_;
  model::Model model_;
  Network<double> network_;
};

TEST_P(PytorchFixture, HasTheOutputsAndGradientsOfTheFirstStep) {
  const auto batch = hashed_batch(model_, 0);
  network_.forward(batch.inputs, Mode::kTrain);
  const double loss = network_.backward(batch.inputs, batch.targets).value;

  Comparison outputs(GetParam() + " outputs", kFirstStepTolerance);
  EXPECT_EQ(fixture_.outputs.size(), model_.nodes.size());
  for (size_t i = 0; i < model_.nodes.size(); ++i) {
    outputs.check(model_.nodes[i].name, network_.output(i), fixture_.outputs);
  }
  outputs.check("loss", std::abs(loss - fixture_.losses.at(0)) / loss);

  Comparison gradients(GetParam() + " gradients", kFirstStepTolerance);
  check_trainable(gradients, fixture_.gradients, [&](size_t p) { return network_.gradient(p); });
}

TEST_P(PytorchFixture, HasTheParametersStatisticsAndMomentsAfterTwoSteps) {
  train();
  Comparison parameters(GetParam() + " parameters after two steps", kAfterTrainingTolerance);
  EXPECT_EQ(fixture_.parameters.size(), model_.parameters.size());
  for (size_t p = 0; p < model_.parameters.size(); ++p) {
    parameters.check(model_.parameters[p].name, network_.parameter(p), fixture_.parameters);
  }

  Comparison moments(GetParam() + " moments after two steps", kAfterTrainingTolerance);
  EXPECT_EQ(fixture_.m.empty(), !has_first_moment(model_.optimizer));
  EXPECT_EQ(fixture_.v.empty(), !has_second_moment(model_.optimizer));
  if (has_first_moment(model_.optimizer)) {
    check_trainable(moments, fixture_.m, [&](size_t p) { return network_.state(p).m; });
  }
  if (has_second_moment(model_.optimizer)) {
    check_trainable(moments, fixture_.v, [&](size_t p) { return network_.state(p).v; });
  }
}

TEST_P(PytorchFixture, HasTheOutputInEvaluationWhereDropoutIsOffAndStatisticsAreTheRunningOnes) {
  train();
  // Dropout is enabled here, unlike in the training before.
  Network<double> evaluated(model_, {}, {.enabled = true, .seed = 5});
  for (size_t p = 0; p < model_.parameters.size(); ++p) {
    evaluated.parameter(p) = network_.parameter(p);
  }
  const auto batch = hashed_batch(model_, kSteps);
  const auto& name = model_.nodes.back().name;
  evaluated.forward(batch.inputs, Mode::kEvaluate);
  Comparison(GetParam() + " evaluation", kAfterTrainingTolerance)
      .check(name, evaluated.output(), fixture_.evaluation);

  // The comparison above means something only where training would have given something else.
  const bool differs_in_training = std::ranges::any_of(model_.nodes, [](const model::Node& node) {
    return std::holds_alternative<model::BatchNorm>(node.layer) ||
           std::holds_alternative<model::Dropout>(node.layer);
  });
  evaluated.forward(batch.inputs, Mode::kTrain);
  const double in_training = deviation(evaluated.output(), fixture_.evaluation.at(name));
  EXPECT_EQ(in_training > 1e-3, differs_in_training) << in_training;
}

INSTANTIATE_TEST_SUITE_P(
    ConformGeometries,
    PytorchFixture,
    ::testing::Values(
        "lenet5", "vgg16", "resnet20", "lstm", "gru", "grurb", "bert-base", "vgg16-bn-all"),
    [](const auto& test) {
      std::string name = test.param;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(NestedDropout, IsTheIdentityInEvaluationAndNotInTraining) {
  const auto model = model::parse_model(R"(
      id = "nested"
      title = "dropout two blocks deep"
      dataset = "none"
      loss = "cross_entropy"
      init = "fan_in_uniform"
      batch = 4
      layers = [
        { name = "a", layers = [
          { name = "fc", type = "linear", out = 32, bias = true },
          { name = "b", layers = [{ name = "drop", type = "dropout", rate = 0.5 }] },
        ] },
      ]
      [inputs]
      image = { shape = [8] }
      [optimizer]
      type = "sgd"
      rate = 0.1
      momentum = 0.0)",
                                        "nested",
                                        model::Geometry::kFull);
  ASSERT_THAT(model, testing::is_ok());
  ASSERT_EQ(model->nodes[1].name, "a.b.drop");
  Network<double> network(*model, {}, {.enabled = true, .seed = 5});
  ASSERT_THAT(network.load(hashed_parameters(*model)), testing::is_ok());
  const auto batch = hashed_batch(*model, 0);

  network.forward(batch.inputs, Mode::kEvaluate);
  EXPECT_EQ(network.output(1).values, network.output(0).values);

  network.forward(batch.inputs, Mode::kTrain);
  int64_t dropped = 0;
  for (int64_t i = 0; i < network.output().size(); ++i) {
    const double kept = 2 * network.output(0)[i];
    EXPECT_THAT(network.output(1)[i], ::testing::AnyOf(0.0, kept));
    dropped += network.output(1)[i] == 0 ? 1 : 0;
  }
  // 128 draws at one half: six deviations on either side.
  EXPECT_GT(dropped, 30);
  EXPECT_LT(dropped, 98);
}

}  // namespace
}  // namespace crossbind::referee
