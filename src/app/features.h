// The work of `crossbind doctor --features`: what bindings claim, tried.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/resources.h"
#include "base/error.h"
#include "checkup/features.h"
#include "workers/binding.h"

namespace crossbind::app {

struct BindingFeatures {
  std::string binding;
  std::vector<checkup::Tried> attempts;  // none: it is not ready
  std::string not_ready;                 // why, and what mends it
};

// Bindings without a worker are left out. `begins` is told of each that is tried: it takes a while.
[[nodiscard]] Result<std::vector<BindingFeatures>> try_features_of(
    const std::vector<workers::Binding>& bindings,
    const std::vector<workers::Binding>& all,
    const Machine& machine,
    const std::function<void(const std::string& binding)>& begins);

// Whether one of them cannot do what it claims.
[[nodiscard]] bool any_fails(const std::vector<BindingFeatures>& tried);

}  // namespace crossbind::app
