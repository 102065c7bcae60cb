#include "judge/judged_step.h"

#include <algorithm>
#include <iterator>

#include "judge/step_tensors.h"

namespace crossbind::judge {

using trial::Kind;

Result<JudgedStep> judge_step(const model::Model& model, const RecordedStep& step) {
  CB_ASSIGN(auto judge, StepJudge::open(model, step));
  JudgedStep judged;
  const auto add = [&](Kind kind, const std::vector<Deviation>& deviations) {
    const Deviation* off =
        kind == Kind::kGradient ? gradient_off(model, deviations) : first_off(deviations);
    judged.judgements.push_back(
        {kind, worst_of(deviations), off == nullptr ? std::nullopt : std::optional(*off)});
  };
  add(Kind::kForward, judge.layers());
  if (step.trains) {
    const auto backward = judge.backward();
    add(Kind::kLoss, {backward.loss});
    add(Kind::kGradient, backward.gradients);
    auto updates = judge.updates();
    add(Kind::kUpdate, updates.parameters);
    std::ranges::move(judge.statistics(), std::back_inserter(updates.moments));
    add(Kind::kState, updates.moments);
  }
  return judged;
}

Deviation worst_of(const JudgedStep& step, std::initializer_list<Kind> kinds) {
  std::vector<Deviation> worst;
  for (const Judgement& judgement : step.judgements) {
    if (std::ranges::find(kinds, judgement.kind) != kinds.end()) {
      worst.push_back(judgement.worst);
    }
  }
  return worst_of(worst);
}

Deviation worst_of(const JudgedStep& step) {
  return worst_of(step,
                  {Kind::kForward, Kind::kLoss, Kind::kGradient, Kind::kUpdate, Kind::kState});
}

const Judgement* first_off(const JudgedStep& step) {
  const auto found = std::ranges::find_if(
      step.judgements, [](const Judgement& judgement) { return judgement.off.has_value(); });
  return found == step.judgements.end() ? nullptr : &*found;
}

const Deviation* first_off(const std::vector<Deviation>& deviations) {
  const auto found = std::ranges::find_if_not(deviations, &Deviation::is_rounding);
  return found == deviations.end() ? nullptr : &*found;
}

const Deviation* gradient_off(const model::Model& model, const std::vector<Deviation>& gradients) {
  const Deviation* off = nullptr;
  std::string layer;
  for (const Deviation& deviation : gradients) {
    if (deviation.is_rounding()) {
      continue;
    }
    const std::string own = layer_of(model, deviation.tensor);
    if (off == nullptr || own != layer || deviation.ratio > off->ratio) {
      off = &deviation;
    }
    layer = own;
  }
  return off;
}

}  // namespace crossbind::judge
