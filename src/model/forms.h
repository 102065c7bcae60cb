// A model with other conventions: what a binding that has a convention in one form only builds of
// it.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::model {

using Forms = std::map<std::string, std::string, std::less<>>;

// forms: by TYPE.FIELD ("adam.epsilon_form" → "hat"), for every layer of that type or the
// optimizer. Names that are no field of the model's are left aside: they are other settings. A form
// that the field does not take is an error.
[[nodiscard]] Result<Model> with_forms(const Model& model, const Forms& forms);

}  // namespace crossbind::model
