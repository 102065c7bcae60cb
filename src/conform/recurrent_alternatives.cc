#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "conform/alternatives.h"
#include "model/layers/recurrent.h"

namespace crossbind::conform {
namespace {

// The gates of a layer in canonical order, and their height in its parameters; no letters for
// layers without gates.
struct Gates {
  std::string_view letters;
  int64_t hidden = 0;
};

Gates gates_of(const model::Layer& layer) {
  if (const auto* lstm = std::get_if<model::Lstm>(&layer)) {
    return {model::Description<model::Lstm>::kGates, lstm->hidden};
  }
  if (const auto* gru = std::get_if<model::Gru>(&layer)) {
    return {model::Description<model::Gru>::kGates, gru->hidden};
  }
  return {};
}

// The elements of one gate; each parameter of a recurrent layer has its gates one below the other.
std::span<float> gate_of(std::span<float> values, size_t gate, size_t gates) {
  const size_t size = values.size() / gates;
  return values.subspan(gate * size, size);
}

// Lets piece k of every parameter be the gate order[k].
void reorder(Premise& premise, const std::vector<size_t>& order) {
  for (const auto& parameter : premise.model.parameters) {
    rewrite(premise.step.state.at(parameter.name), [&](std::span<float> values) {
      const std::vector<float> old(values.begin(), values.end());
      for (size_t k = 0; k < order.size(); ++k) {
        const auto piece = gate_of(values, order[k], order.size());
        std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(k * piece.size()),
                    piece.size(),
                    piece.begin());
      }
    });
  }
}

constexpr size_t kGruGates = 3;
constexpr size_t kUpdateGate = 1;
constexpr size_t kNewGate = 2;

// 1 - z is the gate of the negated sum.
void invert_update_gate(Premise& premise) {
  for (const auto& parameter : premise.model.parameters) {
    rewrite(premise.step.state.at(parameter.name), [](std::span<float> values) {
      std::ranges::transform(gate_of(values, kUpdateGate, kGruGates),
                             gate_of(values, kUpdateGate, kGruGates).begin(),
                             std::negate<>());
    });
  }
}

// The recurrent bias of the new state beside the reset product instead of in it.
void take_bias_out_of_reset(Premise& premise) {
  const auto name = [&](size_t i) { return premise.model.parameters[i].name; };
  std::vector<float> bias;
  rewrite(premise.step.state.at(name(3)), [&](std::span<float> values) {
    const auto gate = gate_of(values, kNewGate, kGruGates);
    bias.assign(gate.begin(), gate.end());
    std::ranges::fill(gate, 0.0F);
  });
  rewrite(premise.step.state.at(name(2)), [&](std::span<float> values) {
    const auto gate = gate_of(values, kNewGate, kGruGates);
    std::ranges::transform(gate, bias, gate.begin(), std::plus<>());
  });
}

template <typename Layer>
Alternatives other_activation(const Layer& layer) {
  using model::RecurrentActivation;
  const bool hard = layer.recurrent_activation == RecurrentActivation::kHardSigmoid;
  return {{fmt::format("gates with a {}sigmoid", hard ? "" : "hard "), [hard](Premise& changed) {
             std::get<Layer>(changed.layer()).recurrent_activation =
                 hard ? RecurrentActivation::kSigmoid : RecurrentActivation::kHardSigmoid;
           }}};
}

}  // namespace

Alternatives gate_orders(const Premise& premise, const Scene& /*scene*/) {
  const auto [letters, hidden] = gates_of(premise.layer());
  std::vector<size_t> order(letters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Alternatives found;
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<char> names;
    names.reserve(order.size());
    for (const size_t gate : order) {
      names.push_back(letters[gate]);
    }
    found.push_back({fmt::format("{} gates in the order {}",
                                 letters.size() == kGruGates ? "GRU" : "LSTM",
                                 fmt::join(names, ", ")),
                     [order](Premise& changed) { reorder(changed, order); }});
  }
  return found;
}

Alternatives gru_forms(const Premise& premise, const Scene& /*scene*/) {
  const auto* gru = std::get_if<model::Gru>(&premise.layer());
  if (gru == nullptr) {
    return {};
  }
  Alternatives found = {{fmt::format("GRU applies the reset gate {} the product",
                                     gru->reset_after ? "before" : "after"),
                         [](Premise& changed) {
                           auto& layer = std::get<model::Gru>(changed.layer());
                           layer.reset_after = !layer.reset_after;
                         }},
                        {"GRU takes 1 - z for the update gate z", invert_update_gate}};
  if (gru->reset_after && gru->biases == 2) {
    found.push_back({"GRU adds the recurrent bias outside of the reset gate's product",
                     take_bias_out_of_reset});
  }
  return found;
}

Alternatives recurrent_activations(const Premise& premise, const Scene& /*scene*/) {
  if (const auto* lstm = std::get_if<model::Lstm>(&premise.layer())) {
    return other_activation(*lstm);
  }
  if (const auto* gru = std::get_if<model::Gru>(&premise.layer())) {
    return other_activation(*gru);
  }
  return {};
}

Alternatives forget_biases(const Premise& premise, const Scene& /*scene*/) {
  if (!std::holds_alternative<model::Lstm>(premise.layer())) {
    return {};
  }
  return {{"LSTM adds 1 to the forget gate's bias", [](Premise& changed) {
             constexpr size_t kForgetGate = 1;
             const auto& bias = changed.model.parameters[2].name;
             rewrite(changed.step.state.at(bias), [](std::span<float> values) {
               for (float& value : gate_of(values, kForgetGate, 4)) {
                 value += 1;
               }
             });
           }}};
}

}  // namespace crossbind::conform
