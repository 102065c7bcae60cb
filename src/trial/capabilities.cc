#include "trial/capabilities.h"

#include <algorithm>

namespace crossbind::trial {
namespace {

template <typename T>
T preferred(const std::vector<T>& claimed, const T& favourite) {
  return claimed.empty() || std::ranges::find(claimed, favourite) != claimed.end()
             ? favourite
             : claimed.front();
}

}  // namespace

Settings plain_settings(const Capabilities& able) {
  Settings settings;
  settings.device = preferred(able.devices, std::string("cpu"));
  settings.loader = preferred(able.loaders, Loader::kResident);
  settings.variant = preferred(able.variants, Variant::kStep);
  settings.measure = preferred(able.measures, Measure::kTotal);
  settings.training_accuracy = preferred(able.training_accuracies, TrainingAccuracy::kRunning);
  return settings;
}

}  // namespace crossbind::trial
