#include "app/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/candidate.h"
#include "app/workplace.h"

namespace crossbind::app {
namespace {

constexpr std::chrono::minutes kPatience{5};  // for any one answer

}  // namespace

Result<std::vector<BindingFeatures>> try_features_of(
    const std::vector<workers::Binding>& bindings,
    const std::vector<workers::Binding>& all,
    const Machine& machine,
    const std::function<void(const std::string& binding)>& begins) {
  std::vector<BindingFeatures> tried;
  for (const auto& binding : bindings) {
    if (binding.state == workers::State::kNoWorker) {
      continue;
    }
    BindingFeatures features{binding.name, {}, {}};
    if (binding.state == workers::State::kReady) {
      begins(binding.name);
      CB_ASSIGN(const auto found, find_candidate(binding, all, machine.workers));
      CB_ASSIGN(const auto workplace, Workplace::open(machine, "check"));
      features.attempts = checkup::try_features(
          found.candidate,
          {workplace->launcher(), machine.models, workplace->scratch(), kPatience});
    } else {
      features.not_ready = fmt::format("{}: {}", binding.reason, binding.command);
    }
    tried.push_back(std::move(features));
  }
  return tried;
}

bool any_fails(const std::vector<BindingFeatures>& tried) {
  return std::ranges::any_of(tried, [](const BindingFeatures& features) {
    return std::ranges::any_of(features.attempts, [](const checkup::Tried& attempt) {
      return attempt.experience == checkup::Experience::kFails;
    });
  });
}

}  // namespace crossbind::app
