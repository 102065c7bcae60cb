#include "conform/cause.h"

#include <algorithm>
#include <array>

#include "conform/alternatives.h"
#include "conform/premise.h"

namespace crossbind::conform {
namespace {

using judge::Deviation;

// A cause must take most of the error away: what moves a ratio from 1.2 to 0.9 says nothing.
constexpr double kLeastImprovement = 4;

const Deviation* find(const std::vector<Deviation>& deviations, const std::string& tensor) {
  const auto found = std::ranges::find(deviations, tensor, &Deviation::tensor);
  return found == deviations.end() ? nullptr : &*found;
}

// The new ratio of the tensor when the alternative explains it: it is rounding now, and nothing
// else that was asked for is worse than before.
std::optional<double> explains(const std::vector<Deviation>& before,
                               const std::vector<Deviation>& after,
                               const std::string& tensor) {
  for (const auto& deviation : after) {
    const auto* earlier = find(before, deviation.tensor);
    if (!deviation.is_rounding() && (earlier == nullptr || deviation.ratio > earlier->ratio)) {
      return std::nullopt;
    }
  }
  const auto* now = find(after, tensor);
  if (now == nullptr || !now->is_rounding() ||
      now->ratio * kLeastImprovement > find(before, tensor)->ratio) {
    return std::nullopt;
  }
  return now->ratio;
}

}  // namespace

std::span<const Family> families_for(Question question) {
  static constexpr std::array<Family, 14> kLayer = {norm_modes,
                                                    active_dropout,
                                                    gru_forms,
                                                    recurrent_activations,
                                                    gate_orders,
                                                    padding_forms,
                                                    missing_biases,
                                                    norm_epsilons,
                                                    norm_variances,
                                                    weight_layouts,
                                                    flatten_orders,
                                                    forget_biases,
                                                    activated_outputs,
                                                    stale_parameters};
  static constexpr std::array<Family, 7> kLossAndGradients = {loss_reductions,
                                                              accumulated_gradients,
                                                              padding_rows,
                                                              early_updates,
                                                              activated_logits,
                                                              shifted_labels,
                                                              decayed_gradients};
  static constexpr std::array<Family, 7> kUpdates = {missing_updates,
                                                     rate_precisions,
                                                     decay_forms,
                                                     adam_epsilons,
                                                     adam_corrections,
                                                     momentum_forms,
                                                     stale_updates};
  static constexpr std::array<Family, 2> kStatistics = {statistics_forms, stale_statistics};
  switch (question) {
    case Question::kLayer:
      return kLayer;
    case Question::kLossAndGradients:
      return kLossAndGradients;
    case Question::kUpdates:
      return kUpdates;
    case Question::kStatistics:
      return kStatistics;
  }
  return {};
}

std::optional<std::string> find_cause(const Scene& scene, const Divergence& divergence) {
  const auto& tensor = divergence.tensor;
  const auto premise = premise_of(scene, tensor);
  if (!premise) {
    return std::nullopt;
  }
  const auto before = ask(*premise);
  const auto* off = before ? find(*before, tensor) : nullptr;
  if (off == nullptr || off->is_rounding()) {
    return std::nullopt;
  }
  for (const Family family : families_for(premise->question)) {
    std::optional<std::string> cause;
    double least = off->ratio;
    for (const auto& [words, change] : family(*premise, scene)) {
      Premise changed = *premise;
      change(changed);
      const auto after = ask(changed);
      const auto ratio = after ? explains(*before, *after, tensor) : std::nullopt;
      if (ratio && *ratio < least) {
        least = *ratio;
        cause = words;
      }
    }
    if (cause) {
      return cause;
    }
  }
  return std::nullopt;
}

}  // namespace crossbind::conform
