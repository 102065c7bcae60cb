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

std::optional<Format> common_format(const Capabilities& writer, const Capabilities& reader) {
  const auto found = std::ranges::find_first_of(writer.writes, reader.reads);
  return found == writer.writes.end() ? std::nullopt : std::optional(*found);
}

}  // namespace crossbind::trial
