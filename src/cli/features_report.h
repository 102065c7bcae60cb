// The table of features: what each binding can do, as tried.
#pragma once

#include <string>
#include <vector>

#include "app/features.h"

namespace crossbind::cli {

// Below the table, what is lacking or failing, and why.
[[nodiscard]] std::string features_table(const std::vector<app::BindingFeatures>& bindings);
[[nodiscard]] std::string features_json(const std::vector<app::BindingFeatures>& bindings);

}  // namespace crossbind::cli
