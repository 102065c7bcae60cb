#include "conform/premise.h"
#include "conform/workbench.h"
#include "judge/step_tensors.h"
#include "referee/rounding.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using Shown = judge::RecordedStep;

void add_gradients(Shown& step, const Shown& before) {
  for (auto& [name, tensor] : step.tensors) {
    if (name.ends_with(".grad")) {
      const auto old = values_of(before.tensors.at(name));
      rewrite(tensor, [&](std::span<float> values) {
        std::ranges::transform(values, old, values.begin(), std::plus<>());
      });
    }
  }
}

void multiply_gradients(Shown& step, double factor) {
  for (auto& [name, tensor] : step.tensors) {
    if (name.ends_with(".grad")) {
      scale(tensor, factor);
    }
  }
}

// The gradients at what was recorded, but with the parameters after the step.
void backward_after_update(Shown& step, const Steps& steps) {
  const auto& model = steps.work.model;
  referee::Network<double> network(model, {}, {.enabled = false});
  ASSERT_THAT(network.load(step.tensors), testing::is_ok());
  std::vector<referee::Array<double>> outputs;
  for (const auto& node : model.nodes) {
    outputs.push_back(judge::array_of(step.tensors.at(node.name + ".out")));
  }
  referee::AnchoredPass pass(network, step.batch.inputs, outputs, referee::Mode::kTrain);
  const auto backward = pass.backward(step.batch.targets);
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    if (model::is_trainable(model.parameters[i].role)) {
      step.tensors.at(model.parameters[i].name + ".grad") =
          referee::as_float32(backward.gradients[i].value);
    }
  }
}

std::vector<Bug> gradient_bugs() {
  return {
      {"early_updates",
       "flat",
       true,
       {},
       backward_after_update,
       "fc1.bias.grad",
       "gradient taken through parameters that were updated already"},
      {"summed_loss",
       "image",
       true,
       {},
       [](Shown& step, const Steps&) {
         *step.loss *= 6;
         multiply_gradients(step, 6);
       },
       "loss",
       "loss summed over the batch, not averaged"},
      {"summed_report",
       "image",
       true,
       {},
       [](Shown& step, const Steps&) { *step.loss *= 6; },
       "loss",
       "loss reported as the sum over the batch"},
      {"rolled_labels",
       "image",
       true,
       [](Work& w, const Steps&) {
         std::ranges::rotate(w.batch.targets.labels, w.batch.targets.labels.begin() + 1);
       },
       {},
       "loss",
       "labels shifted by one sample"},
      {"labels_before",
       "image",
       true,
       [](Work& w, const Steps& s) { w.batch.targets = s.first.batch.targets; },
       {},
       "loss",
       "labels of the batch before"},
      {"softmax_in_loss",
       "image",
       true,
       [](Work& w, const Steps&) {
         w.model.nodes.push_back({"again", model::Softmax{}, {{false, 8}}, {5}, {}});
       },
       {},
       "loss",
       "softmax applied twice"},
      {"sigmoid_in_loss",
       "gru",
       true,
       [](Work& w, const Steps&) {
         w.model.nodes.push_back({"again", model::Sigmoid{}, {{false, 3}}, {1}, {}});
       },
       {},
       "loss",
       "sigmoid applied twice"},
      {"accumulated",
       "image",
       true,
       {},
       [](Shown& step, const Steps& s) { add_gradients(step, s.first); },
       "fc.weight.grad",
       "gradients accumulated: those of the step before were not cleared"},
      {"padding_trained",
       "gru",
       true,
       [](Work& w, const Steps&) {
         layer<model::Embedding>(w, "embedding").padding_index = std::nullopt;
       },
       {},
       "embedding.weight.grad",
       "embedding trains its padding row 0"},
      {"row_not_trained",
       "lstm",
       true,
       [](Work& w, const Steps&) { layer<model::Embedding>(w, "embedding").padding_index = 0; },
       {},
       "embedding.weight.grad",
       "embedding takes row 0 for padding and does not train it"},
  };
}

class GradientCause : public ::testing::TestWithParam<Bug> {};

TEST_P(GradientCause, IsNamed) {
  check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bugs, GradientCause, ::testing::ValuesIn(gradient_bugs()), name_of_bug);

}  // namespace
}  // namespace crossbind::conform
