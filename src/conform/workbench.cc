#include "conform/workbench.h"

#include "conform/locate.h"
#include "judge/step_tensors.h"
#include "referee/network.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using judge::RecordedStep;
using referee::Array;

// Convolution and pool whose "same" is one-sided, a square and an oblong matrix.
constexpr std::string_view kImage = R"(
id = "image"
title = "image"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 6
layers = [
  { name = "conv1", type = "conv2d", out = 4, kernel = 3, stride = 2, pads = "same", bias = true },
  { name = "bn", type = "batchnorm", epsilon = 1e-5, momentum = 0.1, running_variance = "unbiased" },
  { name = "pool", type = "max_pool2d", kernel = 3, stride = 2, pads = "same" },
  { name = "mean", type = "avg_pool2d", kernel = 2, stride = 1, pads = [0, 0, 1, 1], count_padding = false },
  { name = "flatten", type = "flatten" },
  { name = "dropout", type = "dropout", rate = 0.25 },
  { name = "square", type = "linear", out = 16, bias = true },
  { name = "tanh", type = "tanh" },
  { name = "fc", type = "linear", out = 5, bias = true },
]
[inputs]
image = { shape = [3, 8, 8] }
[optimizer]
type = "sgd"
rate = 0.05
momentum = 0.9
weight_decay = { value = 1e-2, form = "coupled", applies_to = "weights" }
)";

constexpr std::string_view kGru = R"(
id = "gru"
title = "gru"
dataset = "none"
loss = "binary_cross_entropy"
init = "fan_in_uniform"
batch = 6
layers = [
  { name = "embedding", type = "embedding", kind = "token", entries = 9, width = 6, padding_index = 0 },
  { name = "gru", type = "gru", hidden = 5, biases = 2, reset_after = true, recurrent_activation = "sigmoid" },
  { name = "last", type = "select_last" },
  { name = "fc", type = "linear", out = 1, bias = true },
]
[inputs]
tokens = { shape = [7], entries = 9 }
[optimizer]
type = "adam"
rate = 3e-4
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-8
epsilon_form = "outside"
)";

constexpr std::string_view kLstm = R"(
id = "lstm"
title = "lstm"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 6
layers = [
  { name = "embedding", type = "embedding", kind = "token", entries = 9, width = 6 },
  { name = "lstm", type = "lstm", hidden = 6, biases = 2, recurrent_activation = "sigmoid" },
  { name = "norm", type = "layernorm", epsilon = 1e-12 },
  { name = "last", type = "select_last" },
  { name = "fc", type = "linear", out = 3, bias = true },
]
[inputs]
tokens = { shape = [7], entries = 9 }
[optimizer]
type = "adam"
rate = 1e-2
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-6
epsilon_form = "hat"
weight_decay = { value = 1e-1, form = "decoupled", applies_to = "all" }
)";

// Without momentum and decay.
constexpr std::string_view kFlat = R"(
id = "flat"
title = "flat"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 6
layers = [
  { name = "fc1", type = "linear", out = 8, bias = true },
  { name = "relu", type = "relu" },
  { name = "fc2", type = "linear", out = 4, bias = true },
]
[inputs]
features = { shape = [5] }
[optimizer]
type = "sgd"
rate = 0.3
momentum = 0.0
)";

model::Model model_of(const std::string& name) {
  const std::string_view text = name == "image"  ? kImage
                                : name == "gru"  ? kGru
                                : name == "lstm" ? kLstm
                                                 : kFlat;
  return model::parse_model(text, name, model::Geometry::kFull).value();
}

Array<float> narrowed(const Array<double>& array) {
  Array<float> result(array.shape);
  std::ranges::copy(array.values, result.values.begin());
  return result;
}

tensor::Tensor tensor_of(const Array<float>& array) {
  return {array.shape, array.values};
}

void set_moments(const Work& work, referee::Network<float>& network) {
  for (size_t i = 0; i < work.model.parameters.size(); ++i) {
    for (auto [suffix, moment] :
         {std::pair{".state.m", &network.state(i).m}, std::pair{".state.v", &network.state(i).v}}) {
      const auto found = work.state.find(work.model.parameters[i].name + suffix);
      if (found != work.state.end()) {
        std::ranges::copy(*found->second.view().as<float>(), moment->values.begin());
      }
    }
  }
}

void record_parameters(referee::Network<float>& network, tensor::TensorMap& tensors) {
  const auto& parameters = network.model().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& name = parameters[i].name;
    tensors.emplace(name, tensor_of(network.parameter(i)));
    for (const auto& [suffix, array] :
         {std::pair{".grad", &network.gradient(i)},
          std::pair{".state.m", &std::as_const(network.state(i).m)},
          std::pair{".state.v", &std::as_const(network.state(i).v)}}) {
      if (!array->values.empty()) {
        tensors.emplace(name + suffix, tensor_of(*array));
      }
    }
  }
}

referee::Split::Batch<double> batch_of(const model::Model& model, uint32_t seed) {
  auto batch = referee::make_batch<double>(model, model.batch, seed);
  for (auto& input : batch.inputs) {
    for (double& value : input.values) {
      value -= model.inputs.front().is_integer() ? 0 : 0.5;  // negative ones too
    }
  }
  return {batch.inputs, batch.targets};
}

}  // namespace

RecordedStep recorded(const Work& work) {
  RecordedStep step{.trains = work.trains,
                    .drops = work.drops,
                    .number = work.number,
                    .state = work.state,
                    .batch = work.batch,
                    .loss = std::nullopt,
                    .tensors = {}};
  referee::Network<float> network(
      work.model, {.permutation_seed = 3}, {.enabled = work.drops, .seed = 9});
  EXPECT_THAT(network.load(work.state), testing::is_ok());
  set_moments(work, network);
  network.step() = work.number - 1;
  std::vector<Array<float>> inputs;
  for (const auto& input : work.batch.inputs) {
    inputs.push_back(narrowed(input));
  }
  network.forward(inputs, work.trains ? referee::Mode::kTrain : referee::Mode::kEvaluate);
  for (size_t i = 0; i < work.model.nodes.size(); ++i) {
    step.tensors.emplace(work.model.nodes[i].name + ".out", tensor_of(network.output(i)));
  }
  if (work.trains) {
    step.loss = network.backward(inputs, work.batch.targets).value;
    network.update(inputs);
    record_parameters(network, step.tensors);
  }
  return step;
}

Steps steps_of(const std::string& model, bool trains) {
  Steps steps;
  steps.work.model = model_of(model);
  steps.work.state = referee::make_parameters(steps.work.model, 7);
  steps.work.batch = batch_of(steps.work.model, 1);
  steps.first = recorded(steps.work);
  steps.work.state = judge::state_after(steps.first.tensors);
  steps.work.batch = batch_of(steps.work.model, 2);
  steps.work.number = 2;
  steps.work.trains = trains;
  steps.second = recorded(steps.work);
  return steps;
}

Divergence first_divergence(const model::Model& model, const RecordedStep& step) {
  return locate(model, step).value().divergence.value_or(Divergence{});
}

void check(const Bug& bug) {
  Steps steps = steps_of(bug.model, bug.trains);
  if (bug.computes) {
    Work work = steps.work;
    bug.computes(work, steps);
    auto wrong = recorded(work);
    steps.second.loss = wrong.loss;
    steps.second.tensors = std::move(wrong.tensors);
  }
  if (bug.shows) {
    bug.shows(steps.second, steps);
  }
  const auto divergence = first_divergence(steps.work.model, steps.second);
  EXPECT_EQ(divergence.tensor, bug.tensor);
  EXPECT_EQ(find_cause(steps.scene(), divergence).value_or("unknown"), bug.cause);
}

std::string name_of_bug(const ::testing::TestParamInfo<Bug>& bug) {
  return bug.param.name;
}

void PrintTo(const Bug& bug, std::ostream* out) {
  *out << bug.name;
}

std::vector<float> values_of(const tensor::Tensor& tensor) {
  const auto values = *tensor.view().as<float>();
  return {values.begin(), values.end()};
}

}  // namespace crossbind::conform
