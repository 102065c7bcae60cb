// The forms that a model's conventions are in, and a model with other ones: what a binding that has
// a convention in one form only builds of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::model {

// A convention by TYPE.FIELD, and its form in the words of the graph: "gru.reset_after" and
// "false". Numbers that a binding may lack ("sgd.momentum", "weight_decay") have no value: they are
// there when they are not 0.
struct Form {
  std::string name;
  std::string value;
};

// The forms of all layers in order, then the optimizer's, those of equal layers again and again:
// every field of the canonical graph that is a word or a truth value, and the number of biases.
[[nodiscard]] std::vector<Form> forms_of(const Model& model);

// The form that a model asks for: "outside" for "adam.epsilon_form". Empty where it has no such
// field.
[[nodiscard]] std::string form_of(const Model& model, std::string_view name);

using Forms = std::map<std::string, std::string, std::less<>>;

// forms: by TYPE.FIELD ("adam.epsilon_form" → "hat"), for every layer of that type, the optimizer
// or its weight decay. Names that are no field of the model's are left aside: they are other
// settings. A form that the field does not take is an error.
[[nodiscard]] Result<Model> with_forms(const Model& model, const Forms& forms);

}  // namespace crossbind::model
