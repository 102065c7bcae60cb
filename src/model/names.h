// The words of model files and of the graph for every enumeration: one list, for both directions.
#pragma once

#include <array>

#include "base/named.h"
#include "model/model.h"

namespace crossbind::model {

// How initial weights are drawn, before the sizes of a layer turn it into InitialValues.
enum class InitRule { kFanInUniform, kGlorotUniform, kKaimingNormal, kNormal };

inline constexpr std::array kInitRules = {
    Named<InitRule>{"fan_in_uniform", InitRule::kFanInUniform},
    Named<InitRule>{"glorot_uniform", InitRule::kGlorotUniform},
    Named<InitRule>{"kaiming_normal", InitRule::kKaimingNormal},
    Named<InitRule>{"normal", InitRule::kNormal},
};
inline constexpr std::array kLosses = {
    Named<Loss>{"cross_entropy", Loss::kCrossEntropy},
    Named<Loss>{"binary_cross_entropy", Loss::kBinaryCrossEntropy},
    Named<Loss>{"span_cross_entropy", Loss::kSpanCrossEntropy},
};
inline constexpr std::array kRunningVariances = {
    Named<RunningVariance>{"unbiased", RunningVariance::kUnbiased},
    Named<RunningVariance>{"biased", RunningVariance::kBiased},
};
inline constexpr std::array kEmbeddingKinds = {
    Named<EmbeddingKind>{"token", EmbeddingKind::kToken},
    Named<EmbeddingKind>{"position", EmbeddingKind::kPosition},
    Named<EmbeddingKind>{"segment", EmbeddingKind::kSegment},
};
inline constexpr std::array kRecurrentActivations = {
    Named<RecurrentActivation>{"sigmoid", RecurrentActivation::kSigmoid},
    Named<RecurrentActivation>{"hard_sigmoid", RecurrentActivation::kHardSigmoid},
};
inline constexpr std::array kDecayForms = {
    Named<DecayForm>{"coupled", DecayForm::kCoupled},
    Named<DecayForm>{"decoupled", DecayForm::kDecoupled},
};
inline constexpr std::array kDecayTargets = {
    Named<DecayApplies>{"all", DecayApplies::kAll},
    Named<DecayApplies>{"weights", DecayApplies::kWeights},
};
inline constexpr std::array kEpsilonForms = {
    Named<EpsilonForm>{"outside", EpsilonForm::kOutside},
    Named<EpsilonForm>{"hat", EpsilonForm::kHat},
};
inline constexpr std::array kRoles = {
    Named<Role>{"weight", Role::kWeight},
    Named<Role>{"bias", Role::kBias},
    Named<Role>{"scale", Role::kScale},
    Named<Role>{"shift", Role::kShift},
    Named<Role>{"running_mean", Role::kRunningMean},
    Named<Role>{"running_variance", Role::kRunningVariance},
};

}  // namespace crossbind::model
