// What a model asks of whoever builds it, as words that can be compared with what a worker offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace crossbind::model {

// Every type there is.
[[nodiscard]] std::vector<std::string> all_layer_types();
[[nodiscard]] std::vector<std::string> all_loss_types();
[[nodiscard]] std::vector<std::string> all_optimizer_types();

// The types of its layers, each once, in order of first use.
[[nodiscard]] std::vector<std::string> layer_types(const Model& model);

[[nodiscard]] std::string_view loss_type(const Model& model);
[[nodiscard]] std::string_view optimizer_type(const Model& model);

// The forms of forms_of(), each once, as words: "gru.reset_after=false", "lstm.biases=1",
// "adam.epsilon_form=hat"; "sgd.momentum" and "weight_decay" where they are not 0.
[[nodiscard]] std::vector<std::string> features(const Model& model);

}  // namespace crossbind::model
