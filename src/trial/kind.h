// What the referee judges, by kind, with one word for each: the same in verdicts, in stores and in
// files of known divergences. Judges nothing.
#pragma once

#include <array>

#include "base/named.h"

namespace crossbind::trial {

// In the order in which one comes of the other: what is wrong in one is carried into those after
// it.
enum class Kind {
  kData,     // the samples that reached the model
  kForward,  // the outputs of layers
  kMask,     // what dropout drew
  kLoss,
  kGradient,
  kUpdate,      // trained parameters after the step
  kState,       // what else the next step starts from: moments and running statistics
  kEvaluation,  // the outputs of a model that is used, not trained
};

inline constexpr std::array kKinds = {
    Named<Kind>{"data", Kind::kData},
    Named<Kind>{"forward", Kind::kForward},
    Named<Kind>{"mask", Kind::kMask},
    Named<Kind>{"loss", Kind::kLoss},
    Named<Kind>{"gradient", Kind::kGradient},
    Named<Kind>{"update", Kind::kUpdate},
    Named<Kind>{"state", Kind::kState},
    Named<Kind>{"evaluation", Kind::kEvaluation},
};

}  // namespace crossbind::trial
