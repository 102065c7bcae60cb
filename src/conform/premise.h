// What the referee is asked again with: the part of a step that one tensor depends on, as a value
// that may be copied and changed. Knows no alternatives.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/cause.h"
#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::conform {

// Which of the judge's quantities are asked for.
enum class Question { kLayer, kLossAndGradients, kUpdates, kStatistics };

// kLayer, kStatistics: a model of that one layer, fed with what was recorded before it.
// kUpdates: a model of the trained parameters, without layers. kLossAndGradients: the whole step.
struct Premise {
  Question question = Question::kLayer;
  std::string tensor;  // that is off
  model::Model model;
  judge::RecordedStep step;

  [[nodiscard]] model::Layer& layer() { return model.nodes.front().layer; }
  [[nodiscard]] const model::Layer& layer() const { return model.nodes.front().layer; }
};

// Nothing when the step does not show what the tensor was computed from.
[[nodiscard]] std::optional<Premise> premise_of(const Scene& scene, const std::string& tensor);

[[nodiscard]] Result<std::vector<judge::Deviation>> ask(const Premise& premise);

// Changes the elements of a float32 tensor.
void rewrite(tensor::Tensor& tensor, const std::function<void(std::span<float>)>& change);
void scale(tensor::Tensor& tensor, double factor);

}  // namespace crossbind::conform
