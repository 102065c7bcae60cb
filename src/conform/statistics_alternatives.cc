#include <fmt/format.h>

#include "conform/alternatives.h"

namespace crossbind::conform {
namespace {

using model::BatchNorm;
using model::RunningVariance;

struct Momentum {
  double value;
  std::string words;  // empty: as it should be
};

}  // namespace

Alternatives statistics_forms(const Premise& premise, const Scene& /*scene*/) {
  const auto* norm = std::get_if<BatchNorm>(&premise.layer());
  if (norm == nullptr) {
    return {};
  }
  const double weight = norm->momentum;
  const bool unbiased = norm->running_variance == RunningVariance::kUnbiased;
  Alternatives found;
  for (const auto& [momentum, words] :
       {Momentum{weight, ""},
        Momentum{1 - weight, fmt::format("batch-norm momentum {} read as {}", weight, 1 - weight)},
        Momentum{1 - (1 - weight) * (1 - weight), "running statistics updated twice"}}) {
    for (const bool other_variance : {false, true}) {
      std::string variance;
      if (other_variance) {
        variance = fmt::format("running variance from the {} batch variance",
                               unbiased ? "biased" : "unbiased");
      }
      if (const auto all =
              fmt::format("{}{}{}", words, words.empty() || variance.empty() ? "" : ", ", variance);
          !all.empty()) {
        found.push_back(
            {all, [momentum = momentum, unbiased = unbiased != other_variance](Premise& changed) {
               auto& layer = std::get<BatchNorm>(changed.layer());
               layer.momentum = momentum;
               layer.running_variance =
                   unbiased ? RunningVariance::kUnbiased : RunningVariance::kBiased;
             }});
      }
    }
  }
  found.push_back({"running statistics are not updated",
                   [](Premise& changed) { std::get<BatchNorm>(changed.layer()).momentum = 0; }});
  return found;
}

Alternatives stale_statistics(const Premise& premise, const Scene& scene) {
  auto found = stale_parameters(premise, scene);
  for (auto& alternative : found) {
    alternative.words = "running statistics updated from those of the step before";
  }
  return found;
}

}  // namespace crossbind::conform
