// How bindings look: a table for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "workers/binding.h"
#include "workers/places.h"

namespace crossbind::cli {

[[nodiscard]] std::string bindings_table(const std::vector<workers::Binding>& bindings);
[[nodiscard]] std::string bindings_json(const std::vector<workers::Binding>& bindings,
                                        const workers::Places& places);

}  // namespace crossbind::cli
