// Descriptions of the layers that normalise.
#pragma once

#include "model/description.h"
#include "model/names.h"

namespace crossbind::model {

template <>
struct Description<BatchNorm> {
  static constexpr std::string_view kType = "batchnorm";
  static constexpr std::tuple kFields = {
      InferredSize{"features", &BatchNorm::features, "C or F"},
      Number{"epsilon", &BatchNorm::epsilon, config::kPositive, "added to the variance"},
      Number{"momentum",
             &BatchNorm::momentum,
             config::kUpToOne,
             "the weight of the new value in the running statistics: 1 minus what Keras calls so"},
      Word{"running_variance",
           &BatchNorm::running_variance,
           kRunningVariances,
           "which variance goes into the running one"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[C, H, W] → [C, H, W], or [F] → [F]";
  static constexpr std::string_view kParameters =
      "`weight`, `bias`, `running_mean`, `running_var`, each [features]; the last two are running "
      "statistics, which no optimizer touches";
  static constexpr std::string_view kMeaning = R"(
A channel is normalised over the n = N · H · W values that it has in the batch of N samples; a feature over its n = N.

    training:    μ = Σ x / n,  σ² = Σ (x − μ)² / n,  y = (x − μ) / √(σ² + epsilon) · weight + bias
    afterwards:  running_mean ← (1 − momentum) · running_mean + momentum · μ
                 running_var  ← (1 − momentum) · running_var  + momentum · v
    evaluation:  y = (x − running_mean) / √(running_var + epsilon) · weight + bias

- Training always divides by the biased variance σ². `running_variance` is about v alone: σ² with `biased`,
  σ² · n / (n − 1) with `unbiased` (σ² where n is 1).
- The gradient goes through μ and σ² as well.
- In the last, shorter batch of an epoch n is that batch's own, and its statistics weigh as much as any other's.
- In a probe of mode `train` the running statistics are updated too, once.
)";
};

template <>
struct Description<LayerNorm> {
  static constexpr std::string_view kType = "layernorm";
  static constexpr std::tuple kFields = {
      InferredSize{"features", &LayerNorm::features, "F, the last dimension"},
      Number{"epsilon", &LayerNorm::epsilon, config::kPositive, "added to the variance"}};
  static constexpr Inputs kInputs = Inputs::kFloats;
  static constexpr std::string_view kShapes = "[..., F] → the same";
  static constexpr std::string_view kParameters = "`weight`, `bias`, each [features]";
  static constexpr std::string_view kMeaning = R"(
    μ = Σ x / F,  σ² = Σ (x − μ)² / F,  y = (x − μ) / √(σ² + epsilon) · weight + bias

- Each row of the last dimension for itself, in training and evaluation alike. The variance is the biased one.
- The gradient goes through μ and σ² as well.
)";
};

}  // namespace crossbind::model
