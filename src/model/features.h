// What a model asks of whoever builds it, as words that can be compared with what a worker offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace crossbind::model {

// Every type there is, in the order of the variant.
[[nodiscard]] std::vector<std::string> all_layer_types();

// The types of its layers, each once, in order of first use.
[[nodiscard]] std::vector<std::string> layer_types(const Model& model);

[[nodiscard]] std::string_view loss_type(const Model& model);
[[nodiscard]] std::string_view optimizer_type(const Model& model);

// The forms that its layers and its optimizer are in, each once: every field of the canonical graph
// that is a word or a truth value, and the number of biases ("gru.reset_after=false",
// "lstm.biases=1", "adam.epsilon_form=hat"); "sgd.momentum" and "weight_decay" where they are not
// 0.
[[nodiscard]] std::vector<std::string> features(const Model& model);

}  // namespace crossbind::model
