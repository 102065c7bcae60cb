// What dropout drew, held against what it should draw: each element dropped with the layer's rate,
// independently of every other one. Every question is an exact binomial test: how many elements
// were dropped, and of pairs of elements that have nothing to do with one another how many were
// treated alike. Pairs of one question share no element, so that they are independent trials.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::judge {

enum class Drawn : uint8_t {
  kUnknown,  // the input is 0: kept and dropped look the same
  kKept,
  kDropped,
};

// Of one dropout layer in one step. `drawn` has the samples one after the other.
struct Mask {
  std::string layer;
  double rate = 0;
  int64_t samples = 0;
  std::vector<Drawn> drawn;
};

// The masks of a step with dropout on, in the order of the graph; none of layers with rate 0.
// Every layer's output must have been shown.
[[nodiscard]] std::vector<Mask> masks_of(const model::Model& model, const RecordedStep& step);

enum class MaskAspect {
  kRate,      // how many elements are dropped
  kSamples,   // whether neighbouring samples of a batch are treated alike,
  kFeatures,  // neighbouring features of a sample,
  kSteps,     // a step and the next,
  kLayers,    // this layer and another one
};

struct MaskQuestion {
  std::string layer;
  MaskAspect aspect = MaskAspect::kRate;
  std::string other;    // the other layer
  int64_t count = 0;    // dropped elements, or pairs that were treated alike
  int64_t trials = 0;   // of so many
  double expected = 0;  // the share that is expected
  double p_value = 1;   // of a count so far out
};

// All questions about the masks of consecutive steps, of which each has the same layers and shapes.
// How many there are depends on the model and on whether there is more than one step, and on
// nothing that was drawn.
[[nodiscard]] std::vector<MaskQuestion> question_masks(const std::vector<std::vector<Mask>>& steps);

// How many questions there are about so many steps of a model.
[[nodiscard]] int64_t count_questions(const model::Model& model, int64_t steps);

// The question that the masks fail when all of so many `tests` are to raise a false alarm with
// probability `level` at most; null where they fail none. The most improbable one.
[[nodiscard]] const MaskQuestion* failed_question(const std::vector<MaskQuestion>& questions,
                                                  double level,
                                                  int64_t tests);

}  // namespace crossbind::judge
