#include "report/bands.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/grouped.h"
#include "report/times.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using Trials = std::map<analysis::SeedAndRepeat, const analysis::Observation*>;
using Accuracy = std::optional<double> store::EpochPoint::*;

std::vector<BandPoint> points_of(const Trials& trials, const Notes& notes, Accuracy accuracy) {
  std::map<int, std::vector<double>> values;
  for (const auto& [seed, trial] : trials) {
    for (const auto& point : notes.at(trial->identity).curve) {
      if (point.*accuracy) {
        values[point.epoch].push_back(*(point.*accuracy));
      }
    }
  }
  std::vector<BandPoint> points;
  for (const auto& [epoch, found] : values) {
    if (found.size() == trials.size()) {
      const auto [low, high] = std::ranges::minmax(found);
      const double sum = std::accumulate(found.begin(), found.end(), 0.0);
      points.push_back({epoch, low, sum / static_cast<double>(found.size()), high});
    }
  }
  return points;
}

}  // namespace

std::vector<Band> bands_of(const analysis::Observed& observed,
                           const Notes& notes,
                           const std::vector<std::string>& varied) {
  using Key = std::tuple<Group, std::string, analysis::BindingKey>;
  std::map<Key, Band> bands;
  for (const auto& [scope, bindings] : analysis::trainings_in(observed.trials)) {
    for (const auto& [binding, trials] : bindings) {
      const auto& device = trials.begin()->second->device;
      Band band{group_of(scope, device, varied),
                trial::BindingName(scope.framework, binding.name).text(),
                trials.size(),
                points_of(trials, notes, &store::EpochPoint::train_accuracy),
                points_of(trials, notes, &store::EpochPoint::test_accuracy)};
      if (!band.train.empty() || !band.test.empty()) {
        bands.try_emplace({band.group, scope.framework, binding}, std::move(band));
      }
    }
  }
  std::vector<Band> sorted;
  sorted.reserve(bands.size());
  for (auto& [key, band] : bands) {
    sorted.push_back(std::move(band));
  }
  return sorted;
}

}  // namespace crossbind::report
