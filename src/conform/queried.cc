#include "conform/queried.h"

#include <algorithm>

#include "judge/free_step.h"
#include "judge/step_tensors.h"

namespace crossbind::conform {
namespace {

using judge::Deviation;

// The outputs, then every gradient.
std::vector<Deviation> deviations_of(const model::Model& model,
                                     const tensor::TensorMap& answer,
                                     const judge::FreeStep& expected) {
  const auto judge = [&](const std::string& name, const referee::Bounded& bounded) {
    return judge::deviation_of(
        name, judge::array_of(answer.at(name)), bounded, referee::Scope::kSample);
  };
  std::vector<Deviation> found = {judge("outputs", expected.output)};
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    if (!model.inputs[i].is_integer()) {
      found.push_back(judge(model.inputs[i].name + ".grad", expected.inputs[i]));
    }
  }
  return found;
}

bool are_rounding(const std::vector<Deviation>& deviations) {
  return std::ranges::all_of(deviations, &Deviation::is_rounding);
}

judge::FreeStep averaged(judge::FreeStep step, int64_t samples) {
  for (auto& gradient : step.inputs) {
    for (auto* values : {&gradient.value.values, &gradient.unit.values}) {
      for (double& value : *values) {
        value /= static_cast<double>(samples);
      }
    }
  }
  return step;
}

Result<std::string> cause_of_answer(const model::Model& model,
                                    const judge::RecordedStep& start,
                                    const tensor::TensorMap& answer,
                                    const judge::FreeStep& expected) {
  const int64_t samples = start.batch.inputs.front().batch();
  if (samples > 1 && are_rounding(deviations_of(model, answer, averaged(expected, samples)))) {
    return "gradients of the mean loss, not of the sum";
  }
  CB_ASSIGN(const auto trained, judge::free_query(model, start, referee::Mode::kTrain));
  if (are_rounding(deviations_of(model, answer, trained))) {
    return "queries are answered in training mode";
  }
  judge::FreeStep mixed = expected;
  mixed.inputs = trained.inputs;
  return are_rounding(deviations_of(model, answer, mixed)) ? "gradients are taken in training mode"
                                                           : "";
}

}  // namespace

Result<StepFinding> judge_answer(const model::Model& model,
                                 const judge::RecordedStep& start,
                                 const tensor::TensorMap& answer) {
  CB_ASSIGN(const auto expected, judge::free_query(model, start));
  const auto deviations = deviations_of(model, answer, expected);
  StepFinding found{judge::worst_of(deviations).ratio, std::nullopt};
  if (const auto* off = judge::first_off(deviations)) {
    found.ratio = off->ratio;
    found.divergence =
        divergence_of(model, off->tensor == "outputs" ? Kind::kEvaluation : Kind::kGradient, *off);
    found.divergence->layer.clear();
    found.divergence->detail = "in answer to a query";
    CB_ASSIGN(found.divergence->cause, cause_of_answer(model, start, answer, expected));
  }
  return found;
}

}  // namespace crossbind::conform
