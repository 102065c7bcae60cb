// The table of features: what each binding can do, as tried.
#pragma once

#include <string>
#include <vector>

#include "checkup/features.h"

namespace crossbind::cli {

struct BindingFeatures {
  std::string binding;
  std::vector<checkup::Attempt> attempts;  // none: it is not ready
  std::string not_ready;                   // why, and what mends it
};

// Below the table, what is lacking or failing, and why.
[[nodiscard]] std::string features_table(const std::vector<BindingFeatures>& bindings);
[[nodiscard]] std::string features_json(const std::vector<BindingFeatures>& bindings);

}  // namespace crossbind::cli
