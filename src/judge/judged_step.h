// A recorded step in front of the referee, as a whole: how far off each kind of quantity is, and
// which one is off first. What follows from that is the caller's; why it is off, nobody says here.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "base/error.h"
#include "judge/step_judge.h"
#include "model/model.h"
#include "trial/kind.h"

namespace crossbind::judge {

// What is said of one kind.
struct Judgement {
  trial::Kind kind = trial::Kind::kForward;
  Deviation worst;               // ratio 0 where the step has no such quantity
  std::optional<Deviation> off;  // what else is off in the kind follows from this one
};

// Forward, loss, gradient, update and state, in this order; a step that does not train has forward
// alone.
struct JudgedStep {
  std::vector<Judgement> judgements;
};

// Judges every quantity of the step from what was recorded before it.
// kUnsupported when a layer's output is not shown.
[[nodiscard]] Result<JudgedStep> judge_step(const model::Model& model, const RecordedStep& step);

// The worst of these kinds, or of all.
[[nodiscard]] Deviation worst_of(const JudgedStep& step, std::initializer_list<trial::Kind> kinds);
[[nodiscard]] Deviation worst_of(const JudgedStep& step);

// The first kind that is off, null where none is. What comes after it is not looked at: it follows
// from what is wrong here.
[[nodiscard]] const Judgement* first_off(const JudgedStep& step);

// The deviations of one kind are in the order of the graph. A layer is judged from its recorded
// input and an update from its recorded gradient, so that the first one that is off is the wrong
// one.
[[nodiscard]] const Deviation* first_off(const std::vector<Deviation>& deviations);

// Gradients come from one backward pass at the recorded outputs: what goes wrong in a layer is
// passed on to all before it, so that the last layer in the graph that is off is the wrong one, or
// one after it that has no parameters; of its gradients, the one that is most off.
[[nodiscard]] const Deviation* gradient_off(const model::Model& model,
                                            const std::vector<Deviation>& gradients);

}  // namespace crossbind::judge
