// The model that a worker has built, as far as it is not the one that was asked for: conventions of
// which its binding has one form only.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/forms.h"
#include "model/model.h"

namespace crossbind::judge {

// The conventions in which what a worker says is effective is not what the model asks for:
// "adam.epsilon_form = hat".
[[nodiscard]] std::vector<std::string> conventions_of(const model::Model& model,
                                                      const model::Forms& effective);

// The model with the same layers, in which nothing is ever dropped.
[[nodiscard]] model::Model without_dropout(model::Model model);

}  // namespace crossbind::judge
