#include "app/ready_bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "workers/start.h"

namespace crossbind::app {
namespace {

bool is_ready(const workers::Binding& binding) {
  return binding.state == workers::State::kReady;
}

}  // namespace

Result<std::vector<workers::Binding>> ready_bindings(const std::vector<workers::Binding>& all,
                                                     const std::vector<std::string>& patterns) {
  auto bindings = all;
  if (!patterns.empty()) {
    CB_ASSIGN(bindings, workers::select(all, patterns));
  }
  for (const auto& binding : bindings) {
    if (!is_ready(binding) && std::ranges::find(patterns, binding.name) != patterns.end()) {
      return tl::unexpected(Error{ErrorKind::kUnavailable,
                                  fmt::format("{} is not ready: {}", binding.name, binding.reason),
                                  {},
                                  binding.command.empty() ? "" : "Try: " + binding.command});
    }
  }
  std::erase_if(bindings, [](const auto& binding) { return !is_ready(binding); });
  return bindings;
}

Result<Starts> starts_of(const std::vector<workers::Binding>& bindings,
                         const workers::Places& places) {
  Starts starts;
  for (const auto& binding : bindings) {
    if (!is_ready(binding)) {
      continue;
    }
    CB_ASSIGN(auto start, workers::start_command(binding, places));
    starts.commands[binding.name] = std::move(start.program);
    starts.capabilities[binding.name] = binding.manifest->capabilities;
    std::ranges::move(start.locks, std::back_inserter(starts.locks));
  }
  return starts;
}

}  // namespace crossbind::app
