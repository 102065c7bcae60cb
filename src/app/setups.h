// Bindings set up one after the other; that one fails keeps no other from being set up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "workers/binding.h"
#include "workers/places.h"
#include "workers/setup.h"

namespace crossbind::app {

struct SetupCounts {
  int ready = 0;
  int failed = 0;
  int without_worker = 0;  // matched by a pattern alone, and so not meant

  bool operator==(const SetupCounts&) const = default;
};

using OnSetup =
    std::function<void(const workers::Binding&, const Result<workers::SetupReport>& came_of_it)>;

// Told of each binding as it is done.
[[nodiscard]] Result<SetupCounts> set_up_all(const std::vector<std::string>& patterns,
                                             const workers::Places& places,
                                             workers::SetupWatch& watch,
                                             const OnSetup& on_setup);

}  // namespace crossbind::app
