// What a worker may have done instead, as changes of a premise: a table by question. The families
// are in the order in which they are tried, cheap and specific ones first; whether one explains
// anything is found out elsewhere.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conform/premise.h"

namespace crossbind::conform {

struct Alternative {
  std::string words;  // "bias is missing"
  std::function<void(Premise&)> change;
};
using Alternatives = std::vector<Alternative>;

// Alternatives of one kind: of those that explain a divergence, the closest one is the cause.
using Family = Alternatives (*)(const Premise& premise, const Scene& scene);

[[nodiscard]] std::span<const Family> families_for(Question question);

// What a loss does to logits itself, and a binding may do once more; none where no layer does it.
[[nodiscard]] std::optional<model::Layer> activation_in(model::Loss loss);

// The outputs of recurrent layers. Gate orders; forms; biases are among those of all layers.
[[nodiscard]] Alternatives gate_orders(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives gru_forms(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives recurrent_activations(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives forget_biases(const Premise& premise, const Scene& scene);

// The outputs of layers with weights.
[[nodiscard]] Alternatives missing_biases(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives weight_layouts(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives stale_parameters(const Premise& premise, const Scene& scene);

// The outputs of norms, windows, dropout, flatten, and of the last layer.
[[nodiscard]] Alternatives norm_modes(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives norm_epsilons(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives norm_variances(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives padding_forms(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives active_dropout(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives flatten_orders(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives activated_outputs(const Premise& premise, const Scene& scene);

// Running statistics.
[[nodiscard]] Alternatives statistics_forms(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives stale_statistics(const Premise& premise, const Scene& scene);

// The loss and the gradients.
[[nodiscard]] Alternatives loss_reductions(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives shifted_labels(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives activated_logits(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives accumulated_gradients(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives padding_rows(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives early_updates(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives decayed_gradients(const Premise& premise, const Scene& scene);

// Updates and moments.
[[nodiscard]] Alternatives missing_updates(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives rate_precisions(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives decay_forms(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives adam_epsilons(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives adam_corrections(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives momentum_forms(const Premise& premise, const Scene& scene);
[[nodiscard]] Alternatives stale_updates(const Premise& premise, const Scene& scene);

}  // namespace crossbind::conform
