#include "app/setups.h"

#include <algorithm>

namespace crossbind::app {

Result<SetupCounts> set_up_all(const std::vector<std::string>& patterns,
                               const workers::Places& places,
                               workers::SetupWatch& watch,
                               const OnSetup& on_setup) {
  CB_ASSIGN(const auto all, workers::list_bindings(places));
  CB_ASSIGN(const auto bindings, workers::select(all, patterns));
  SetupCounts counts;
  for (const auto& binding : bindings) {
    // A binding without a worker that only a pattern names cannot have been meant.
    const bool is_named = std::ranges::find(patterns, binding.name) != patterns.end();
    if (binding.state == workers::State::kNoWorker && !is_named) {
      ++counts.without_worker;
      continue;
    }
    const auto came_of_it = workers::set_up(binding, places, watch);
    ++(came_of_it ? counts.ready : counts.failed);
    on_setup(binding, came_of_it);
  }
  return counts;
}

}  // namespace crossbind::app
