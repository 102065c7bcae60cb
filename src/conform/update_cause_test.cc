#include <cmath>

#include "conform/premise.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using model::Adam;
using model::Sgd;
using Shown = judge::RecordedStep;

Adam& adam(Work& work) {
  return std::get<Adam>(work.model.optimizer);
}

Sgd& sgd(Work& work) {
  return std::get<Sgd>(work.model.optimizer);
}

// A parameter and its velocity after an update.
struct Updated {
  double p = 0;
  std::optional<double> m;  // nothing: as it was shown
};
using Rule = std::function<Updated(double p, double g, double m, double v)>;

// Every element by a rule, from its gradient (with the decay) and its moments before.
void update_by(Shown& step, const Steps& steps, const Rule& rule) {
  for (const auto& parameter : steps.work.model.parameters) {
    if (!model::is_trainable(parameter.role)) {
      continue;
    }
    const auto& name = parameter.name;
    const auto p = values_of(step.state.at(name));
    const auto g = values_of(step.tensors.at(name + ".grad"));
    const auto moment = [&](const std::string& suffix) {
      const auto found = step.state.find(name + suffix);
      return found == step.state.end() ? std::vector<float>(p.size()) : values_of(found->second);
    };
    const auto m = moment(".state.m");
    const auto v = moment(".state.v");
    const double decay =
        parameter.role == model::Role::kWeight && steps.work.model.id == "image" ? 1e-2 : 0;
    std::vector<float> new_p;
    std::vector<float> new_m;
    for (size_t i = 0; i < p.size(); ++i) {
      const auto updated = rule(p[i], g[i] + decay * p[i], m[i], v[i]);
      new_p.push_back(static_cast<float>(updated.p));
      if (updated.m) {
        new_m.push_back(static_cast<float>(*updated.m));
      }
    }
    step.tensors.insert_or_assign(name, tensor::Tensor(parameter.shape, new_p));
    if (!new_m.empty()) {
      step.tensors.insert_or_assign(name + ".state.m", tensor::Tensor(parameter.shape, new_m));
    }
  }
}

std::vector<Bug> update_bugs() {
  return {
      {"decay_of_biases",
       "image",
       true,
       [](Work& w, const Steps&) { sgd(w).weight_decay.applies_to = model::DecayApplies::kAll; },
       {},
       "conv1.bias",
       "weight decay applied to biases and norms"},
      {"decay_missing",
       "image",
       true,
       [](Work& w, const Steps&) { sgd(w).weight_decay.value = 0; },
       {},
       "conv1.weight",
       "weight decay is missing"},
      {"decay_decoupled",
       "image",
       true,
       [](Work& w, const Steps&) { sgd(w).weight_decay.form = model::DecayForm::kDecoupled; },
       {},
       "conv1.weight.state.m",
       "weight decay decoupled from the gradient"},
      {"decay_coupled",
       "lstm",
       true,
       [](Work& w, const Steps&) { adam(w).weight_decay.form = model::DecayForm::kCoupled; },
       {},
       "embedding.weight",
       "weight decay added to the gradient"},
      {"half_rate",
       "flat",
       true,
       [](Work& w, const Steps&) { sgd(w).rate = 0.300048828125; },
       {},
       "fc1.weight",
       "learning rate used as float16 (0.3000488 instead of 0.3)"},
      {"brain_rate",
       "flat",
       true,
       [](Work& w, const Steps&) { sgd(w).rate = 0.30078125; },
       {},
       "fc1.weight",
       "learning rate used as bfloat16 (0.3007812 instead of 0.3)"},
      {"no_update",
       "flat",
       true,
       {},
       [](Shown& step, const Steps& s) {
         for (const auto& parameter : s.work.model.parameters) {
           step.tensors.at(parameter.name) = step.state.at(parameter.name);
         }
       },
       "fc1.weight",
       "parameters are not updated"},
      {"frozen_bias",
       "flat",
       true,
       {},
       [](Shown& step, const Steps&) { step.tensors.at("fc2.bias") = step.state.at("fc2.bias"); },
       "fc2.bias",
       "fc2.bias is not updated"},
      {"stale_update",
       "flat",
       true,
       {},
       [](Shown& step, const Steps& s) {
         Steps stale = s;
         step.state.swap(stale.first.state);
         update_by(step, s, [](double p, double g, double, double) -> Updated {
           return {p - 0.3 * g, std::nullopt};
         });
         step.state.swap(stale.first.state);
       },
       "fc1.weight",
       "update of the parameters of the step before"},
      {"adam_form",
       "gru",
       true,
       [](Work& w, const Steps&) { adam(w).epsilon_form = model::EpsilonForm::kHat; },
       {},
       "gru.weight_ih",
       "Adam's epsilon added before the bias correction"},
      {"adam_epsilon",
       "gru",
       true,
       [](Work& w, const Steps&) { adam(w).epsilon = 1e-5; },
       {},
       "embedding.weight",
       "Adam's epsilon 1e-05 instead of 1e-08"},
      {"adam_inside",
       "gru",
       true,
       {},
       [](Shown& step, const Steps& s) {
         update_by(step, s, [](double p, double g, double m, double v) -> Updated {
           const double first = (0.9 * m + 0.1 * g) / (1 - 0.9 * 0.9);
           const double second = (0.999 * v + 0.001 * g * g) / (1 - 0.999 * 0.999);
           return {p - 3e-4 * first / std::sqrt(second + 1e-8), std::nullopt};
         });
       },
       "embedding.weight",
       "Adam's epsilon inside the root"},
      {"adam_uncorrected",
       "gru",
       true,
       {},
       [](Shown& step, const Steps& s) {
         update_by(step, s, [](double p, double g, double m, double v) -> Updated {
           return {p - 3e-4 * (0.9 * m + 0.1 * g) / (std::sqrt(0.999 * v + 0.001 * g * g) + 1e-8),
                   std::nullopt};
         });
       },
       "embedding.weight",
       "Adam without bias correction"},
      {"nesterov",
       "image",
       true,
       {},
       [](Shown& step, const Steps& s) {
         update_by(step, s, [](double p, double g, double m, double) -> Updated {
           return {p - 0.05 * (g + 0.9 * (0.9 * m + g)), std::nullopt};
         });
       },
       "conv1.weight",
       "Nesterov momentum"},
      {"dampened",
       "image",
       true,
       {},
       [](Shown& step, const Steps& s) {
         update_by(step, s, [](double p, double g, double m, double) -> Updated {
           const double velocity = 0.9 * m + 0.1 * g;
           return {p - 0.05 * velocity, velocity};
         });
       },
       "conv1.weight",
       "momentum dampens the gradient by 1 - momentum"},
      {"rate_in_velocity",
       "image",
       true,
       {},
       [](Shown& step, const Steps& s) {
         update_by(step, s, [](double p, double g, double m, double) -> Updated {
           const double velocity = 0.9 * m + 0.05 * g;
           return {p - velocity, velocity};
         });
       },
       "conv1.weight",
       "learning rate inside the velocity"},
  };
}

class UpdateCause : public ::testing::TestWithParam<Bug> {};

TEST_P(UpdateCause, IsNamed) {
  check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bugs, UpdateCause, ::testing::ValuesIn(update_bugs()), name_of_bug);

}  // namespace
}  // namespace crossbind::conform
