// The model that a worker has built, as far as it is not the one that was asked for: conventions of
// which its binding has one form only.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/forms.h"
#include "model/model.h"

namespace crossbind::judge {

// The form that a model asks for: "outside" for "adam.epsilon_form". Empty where it has no such
// field.
[[nodiscard]] std::string form_of(const model::Model& model, const std::string& name);

// Those that are not as asked, of what a worker says is effective: "adam.epsilon_form = hat".
[[nodiscard]] std::vector<std::string> conventions_of(const model::Model& model,
                                                      const model::Forms& effective);

// The same layers, but nothing is ever dropped.
[[nodiscard]] model::Model without_dropout(model::Model model);

}  // namespace crossbind::judge
