#include "report/times.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/names.h"
#include "report/spread.h"
#include "stats/comparison.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using analysis::Scope;

// Enough for two digits of an interval, and quick enough for hundreds of them.
constexpr uint32_t kResamples = 1999;

using Key = std::tuple<Scope, std::string, std::string>;  // and device and binding

}  // namespace

Group group_of(const Scope& scope,
               const std::string& device,
               const std::vector<std::string>& varied) {
  Group group{scope.model, device, {}};
  group.varied.reserve(varied.size());
  for (const auto& name : varied) {
    const auto found = scope.condition.find(name);
    group.varied.push_back(found == scope.condition.end() ? "" : found->second);
  }
  return group;
}

Result<std::vector<Time>> times_of(const std::vector<analysis::Times>& times,
                                   const std::vector<analysis::TimeTest>& tests,
                                   const std::vector<std::string>& varied) {
  std::map<Key, const analysis::Times*> all;
  for (const auto& time : times) {
    all[{time.scope, time.device, time.binding}] = &time;
  }
  std::map<Key, const analysis::TimeTest*> tested;
  for (const auto& test : tests) {
    tested[{test.scope, test.device, test.binding}] = &test;
  }
  std::vector<Time> found;
  found.reserve(times.size());
  for (const auto& time : times) {
    auto& entry = found.emplace_back();
    entry.group = group_of(time.scope, time.device, varied);
    entry.binding = trial::BindingName(time.scope.framework, time.binding).text();
    entry.seconds = spread_of(time.seconds);
    const auto test = tested.find({time.scope, time.device, time.binding});
    if (test == tested.end()) {
      continue;
    }
    const auto& baseline = *all.at({time.scope, time.device, std::string(analysis::kBaseline)});
    CB_ASSIGN(const auto compared,
              stats::compare(baseline.seconds, time.seconds, {.resamples = kResamples}));
    entry.ratio = compared.ratio;
    entry.interval = compared.ratio_interval;
    entry.noise = test->second->noise;
    entry.is_above_noise = test->second->is_above_noise();
    entry.p_adjusted = test->second->test.p_adjusted;
    entry.smallest_p = test->second->test.smallest_p;
  }
  std::ranges::stable_sort(found, {}, [](const Time& time) {
    const trial::BindingName name(time.binding);
    return std::tuple(time.group, name.framework(), analysis::rank_of(name.language()));
  });
  return found;
}

}  // namespace crossbind::report
