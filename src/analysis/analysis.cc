#include "analysis/analysis.h"

#include <map>
#include <set>

#include "analysis/comparisons.h"
#include "analysis/grouped.h"
#include "analysis/reproduction.h"

namespace crossbind::analysis {
namespace {

// The conditions of which one framework and model has more than one value, in trainings or in
// inferences.
std::vector<std::string> varied_in(const Observations& observations) {
  using Key = std::tuple<bool, std::string, std::string, std::string>;
  std::map<Key, std::string> first;
  std::set<std::string> varied;
  for (const auto& seen : observations) {
    if (!seen.is_training() && !seen.is_inference()) {
      continue;  // judged steps: they have no weights of others, and are not compared
    }
    for (const auto& [name, value] : seen.scope->condition) {
      const auto [entry, is_new] = first.try_emplace(
          Key{seen.is_training(), seen.scope->framework, seen.scope->model, name}, value);
      if (!is_new && entry->second != value) {
        varied.insert(name);
      }
    }
  }
  return {varied.begin(), varied.end()};
}

std::vector<Support> support_in(const Observations& observations) {
  std::map<std::tuple<std::string, std::string, BindingKey, trial::Task>, bool> found;
  for (const auto& seen : observations) {
    auto& supported =
        found[{seen.scope->framework, seen.scope->model, BindingKey(seen.binding), seen.task}];
    supported |= seen.outcome != store::Outcome::kUnsupported;
  }
  std::vector<Support> support;
  support.reserve(found.size());
  for (const auto& [key, supported] : found) {
    const auto& [framework, model, binding, task] = key;
    support.push_back({framework, model, binding.name, task, supported});
  }
  return support;
}

}  // namespace

Result<Analysis> analyze(const store::StoreReader& store,
                         const std::optional<store::StudyId>& study) {
  CB_ASSIGN(const auto observed, observe(store, study));
  return analyze(observed);
}

Result<Analysis> analyze(const Observed& observed) {
  const auto& observations = observed.trials;
  Analysis analysis;
  analysis.components = {observed.components.begin(), observed.components.end()};
  CB_TRY(compare_curves(observations, analysis));
  CB_TRY(compare_scores(observations, analysis));
  CB_TRY(compare_times(observations, analysis));
  add_up_parts(observations, analysis);
  judge_reproduction(observations, analysis);
  analysis.support = support_in(observations);
  analysis.varied = varied_in(observations);
  return analysis;
}

}  // namespace crossbind::analysis
