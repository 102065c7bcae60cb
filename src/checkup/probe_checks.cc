// Intermediate values: that they are there, and that they are right by the referee's bounds.
#include "checkup/probe_step.h"
#include "reference/referee.h"

namespace crossbind::checkup {
namespace {

using reference::Array;
using reference::Bounded;
using reference::Scope;

Status shows_what_its_level_promises(Examination& examination) {
  CB_ASSIGN(const auto step, probe(examination));
  if (step.mode == protocol::ProbeMode::kTrain && !step.done.loss) {
    return wrong("expected a 'loss' in done in mode train, came none");
  }
  return {};
}

Status lists_what_it_cannot_show(Examination& examination) {
  constexpr const char* kUnknown = "no_such_layer.out";
  CB_ASSIGN(const auto step, probe(examination, {kUnknown}));
  if (std::ranges::find(step.done.missing, kUnknown) == step.done.missing.end()) {
    return wrong("expected '{}' in 'missing', came {}",
                 kUnknown,
                 step.done.missing.empty() ? "an empty list"
                                           : fmt::format("{}", fmt::join(step.done.missing, ", ")));
  }
  return {};
}

Status within(const std::string& name,
              const Array<double>& came,
              const Bounded& bound,
              Scope scope) {
  const auto deviation = reference::largest_deviation(came, bound, scope);
  if (!(deviation.ratio <= reference::kBoundConstant)) {
    const auto index = static_cast<size_t>(deviation.index);
    return wrong(
        "'{}' is outside of the referee's bound: element {} should be {:.7g} (to {:.1e}), "
        "came {:.7g}; 'crossbind conform' says more",
        name,
        index,
        bound.value.values[index],
        deviation.bound,
        came.values[index]);
  }
  return {};
}

// A step with everything recorded, in front of the referee.
class Judgement {
 public:
  Judgement(const ProbedStep& step, const model::Model& model)
      : step_(step),
        model_(model),
        network_(model, {}, {.enabled = false}) {}

  Status prepare() {
    CB_TRY(network_.load(step_.state));
    for (const auto& node : model_.nodes) {
      if (!step_.has(node.name + ".out")) {
        return skip("it computes '{}' together with a later layer: 'crossbind conform' judges that",
                    node.name);
      }
      recorded_.push_back(step_.array(node.name + ".out"));
    }
    pass_.emplace(network_,
                  step_.batch.inputs,
                  recorded_,
                  step_.mode == protocol::ProbeMode::kTrain ? reference::Mode::kTrain
                                                            : reference::Mode::kEvaluate);
    return {};
  }

  Status layers() {
    for (size_t i = 0; i < model_.nodes.size(); ++i) {
      CB_TRY(
          within(model_.nodes[i].name + ".out", recorded_[i], pass_->forward(i), Scope::kSample));
    }
    return {};
  }

  Status gradients() {
    const auto backward = pass_->backward(step_.batch.targets);
    Array<double> loss(tensor::Shape{1});
    loss[0] = step_.done.loss.value_or(0);
    CB_TRY(within("loss", loss, backward.loss, Scope::kElement));
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const auto& parameter = model_.parameters[i];
      if (model::is_trainable(parameter.role)) {
        const std::string name = parameter.name + ".grad";
        CB_TRY(within(name, step_.array(name), backward.gradients[i], Scope::kTensor));
      }
    }
    return {};
  }

  Status updates() {
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const auto& parameter = model_.parameters[i];
      if (!model::is_trainable(parameter.role)) {
        continue;
      }
      const auto& name = parameter.name;
      const auto update = reference::update_from(
          model_.optimizer,
          parameter.role,
          1,
          network_.parameter(i),
          step_.array(name + ".grad"),
          reference::initial_state<double>(model_.optimizer, parameter.shape));
      CB_TRY(within(name, step_.array(name), update.parameter, Scope::kElement));
      for (const auto& [moment, bound] :
           {std::pair{name + ".state.m", &update.m}, std::pair{name + ".state.v", &update.v}}) {
        if (step_.has(moment)) {
          CB_TRY(within(moment, step_.array(moment), *bound, Scope::kElement));
        }
      }
    }
    return {};
  }

 private:
  const ProbedStep& step_;
  const model::Model& model_;
  reference::Network<double> network_;
  std::vector<Array<double>> recorded_;
  std::optional<reference::AnchoredPass> pass_;
};

Status with_the_referee(Examination& examination,
                        trial::ProbeLevel level,
                        Status (Judgement::*judge)()) {
  if (examination.able().probe < level) {
    return skip("it does not claim the probe level '{}'", name_in(trial::kProbeLevels, level));
  }
  if (level == trial::ProbeLevel::kGradients) {
    CB_TRY(examination.need(trial::Task::kTrain));
  }
  CB_ASSIGN(const auto step, probe(examination));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  Judgement judgement(step, exercise->model());
  CB_TRY(judgement.prepare());
  return (judgement.*judge)();
}

Status computes_each_layer_within_the_bound(Examination& examination) {
  return with_the_referee(examination, trial::ProbeLevel::kLayers, &Judgement::layers);
}

Status computes_each_gradient_within_the_bound(Examination& examination) {
  return with_the_referee(examination, trial::ProbeLevel::kGradients, &Judgement::gradients);
}

Status updates_each_parameter_within_the_bound(Examination& examination) {
  return with_the_referee(examination, trial::ProbeLevel::kGradients, &Judgement::updates);
}

}  // namespace

std::vector<Check> probe_checks() {
  return {
      {"probe",
       "shows what its probe level promises, from the state it is given",
       "probe",
       shows_what_its_level_promises,
       Stops::kGroup},
      {"probe", "lists what it cannot show", "probe", lists_what_it_cannot_show},
      {"probe",
       "computes each layer within the referee's bound",
       "probe",
       computes_each_layer_within_the_bound},
      {"probe",
       "computes loss and gradients within the referee's bound",
       "probe",
       computes_each_gradient_within_the_bound},
      {"probe",
       "updates each parameter within the referee's bound",
       "probe",
       updates_each_parameter_within_the_bound},
  };
}

}  // namespace crossbind::checkup
