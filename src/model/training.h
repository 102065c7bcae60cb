// What a model is trained with: the loss, and the optimizer with its conventions spelled out.
#pragma once

#include <variant>

namespace crossbind::model {

enum class Loss {
  kCrossEntropy,        // logits [classes], label; mean over the batch
  kBinaryCrossEntropy,  // one logit, label 0 or 1; mean over the batch
  kSpanCrossEntropy,    // logits [length, 2], start and end; the mean of the two cross-entropies
};

enum class DecayForm { kCoupled, kDecoupled };  // added to the gradient, or to the update
enum class DecayApplies { kAll, kWeights };     // weights: no biases, no norm scale and shift

struct WeightDecay {
  double value = 0;
  DecayForm form = DecayForm::kCoupled;
  DecayApplies applies_to = DecayApplies::kAll;
};

// m = momentum * m + g (m = g at the first step); p = p - rate * m. Without momentum p = p - rate *
// g.
struct Sgd {
  double rate = 0;
  double momentum = 0;
  WeightDecay weight_decay;
};

// outside: p -= rate * m^ / (sqrt(v^) + epsilon).
// hat:     p -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).
enum class EpsilonForm { kOutside, kHat };

struct Adam {
  double rate = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 0;
  EpsilonForm epsilon_form = EpsilonForm::kOutside;
  WeightDecay weight_decay;
};

using Optimizer = std::variant<Sgd, Adam>;

}  // namespace crossbind::model
