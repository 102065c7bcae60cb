#include "analysis/comparisons.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/grouped.h"
#include "stats/corrections.h"
#include "stats/dtw.h"
#include "stats/noise.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace crossbind::analysis {
namespace {

using Numbers = std::vector<double>;

// Curves of trials with the same seed and repeat.
using CurvePairs = std::vector<std::pair<const Numbers*, const Numbers*>>;

CurvePairs paired(const std::map<SeedAndRepeat, const Observation*>& a,
                  const std::map<SeedAndRepeat, const Observation*>& b) {
  CurvePairs pairs;
  for (const auto& [seed, trial] : a) {
    const auto other = b.find(seed);
    if (other != b.end() && !trial->train_accuracy.empty() &&
        !other->second->train_accuracy.empty()) {
      pairs.emplace_back(&trial->train_accuracy, &other->second->train_accuracy);
    }
  }
  return pairs;
}

Result<Numbers> distances_of(const CurvePairs& pairs, DtwMethod method) {
  Numbers distances;
  distances.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    CB_ASSIGN(const auto warping,
              method == DtwMethod::kFastDtw ? stats::fastdtw(*a, *b) : stats::dtw(*a, *b));
    distances.push_back(warping.normalised);
  }
  return distances;
}

// The mean distance of trainings of one binding: each and the next one, and the last and the first.
Result<std::optional<double>> noise_of(const std::map<SeedAndRepeat, const Observation*>& trials,
                                       DtwMethod method) {
  std::vector<const Numbers*> curves;
  for (const auto& [seed, trial] : trials) {
    if (!trial->train_accuracy.empty()) {
      curves.push_back(&trial->train_accuracy);
    }
  }
  if (curves.size() < 2) {
    return std::nullopt;
  }
  CurvePairs pairs;
  pairs.reserve(curves.size());
  for (size_t i = 0; i < curves.size(); ++i) {
    pairs.emplace_back(curves[i], curves[(i + 1) % curves.size()]);
  }
  CB_ASSIGN(const auto distances, distances_of(pairs, method));
  return stats::mean(distances);
}

using CurveNoises = std::map<std::pair<BindingKey, DtwMethod>, std::optional<double>>;

Result<CurveNoises> noises_in(
    const ByBinding<std::map<SeedAndRepeat, const Observation*>>& bindings) {
  CurveNoises noises;
  for (const auto& [binding, trials] : bindings) {
    for (const auto method : {DtwMethod::kFastDtw, DtwMethod::kExact}) {
      CB_ASSIGN(noises[std::pair(binding, method)], noise_of(trials, method));
    }
  }
  return noises;
}

Result<CurveDistance> distance_of(const CurvePairs& pairs, DtwMethod method) {
  CB_ASSIGN(const auto distances, distances_of(pairs, method));
  CurveDistance distance;
  distance.method = method;
  distance.n = distances.size();
  distance.mean = stats::mean(distances);
  distance.max = *std::ranges::max_element(distances);
  return distance;
}

void add_mean_curve(const Scope& scope,
                    const std::string& binding,
                    const std::map<SeedAndRepeat, const Observation*>& trials,
                    Analysis& into) {
  MeanCurve mean{scope, binding, 0, {}};
  for (const auto& [seed, trial] : trials) {
    const auto& curve = trial->train_accuracy;
    if (curve.empty()) {
      continue;
    }
    const bool first = mean.n == 0;
    ++mean.n;
    mean.train_accuracy.resize(first ? curve.size()
                                     : std::min(mean.train_accuracy.size(), curve.size()));
    for (size_t epoch = 0; epoch < mean.train_accuracy.size(); ++epoch) {
      mean.train_accuracy[epoch] += curve[epoch];
    }
  }
  if (mean.n > 0) {
    for (double& value : mean.train_accuracy) {
      value /= static_cast<double>(mean.n);
    }
    into.mean_curves.push_back(std::move(mean));
  }
}

Result<RankTest> test_of(const Numbers& a, const Numbers& b) {
  CB_ASSIGN(const auto test, stats::mann_whitney(a, b));
  CB_ASSIGN(const double smallest, stats::smallest_p(a.size(), b.size()));
  CB_ASSIGN(const double delta, stats::cliffs_delta(a, b));
  return RankTest{.u = test.u,
                  .p = test.p,
                  .p_adjusted = test.p,
                  .smallest_p = smallest,
                  .cliffs_delta = delta,
                  .effect = stats::magnitude_of(delta)};
}

// Corrects the p-values of the tests from `first` on, which are one family.
template <typename Finding>
Status correct(std::vector<Finding>& findings, size_t first) {
  Numbers p;
  p.reserve(findings.size() - first);
  for (size_t i = first; i < findings.size(); ++i) {
    p.push_back(findings[i].test.p);
  }
  CB_ASSIGN(const auto adjusted, stats::bonferroni(p));
  for (size_t i = first; i < findings.size(); ++i) {
    findings[i].test.p_adjusted = adjusted[i - first];
  }
  return {};
}

std::optional<double> score_of(const Observation& trial, Score score) {
  switch (score) {
    case Score::kAccuracy:
      return trial.final_test_accuracy;
    case Score::kF1:
      return trial.f1;
    case Score::kAuc:
      return trial.auc;
  }
  return std::nullopt;
}

std::vector<double> scores_of(const std::map<SeedAndRepeat, const Observation*>& trials,
                              Score score) {
  std::vector<double> scores;
  for (const auto& [seed, trial] : trials) {
    if (const auto value = score_of(*trial, score)) {
      scores.push_back(*value);
    }
  }
  return scores;
}

// The scores from `first` on are those of one scope.
Status test_scores(size_t first, Analysis& into) {
  const std::span<const BindingScore> scores = std::span(into.scores).subspan(first);
  const size_t first_test = into.score_tests.size();
  double largest = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    for (size_t j = i + 1; j < scores.size(); ++j) {
      const auto& a = scores[i];
      const auto& b = scores[j];
      largest = std::max(largest, std::abs(a.mean - b.mean));
      CB_ASSIGN(const auto test, test_of(a.values, b.values));
      CB_ASSIGN(const auto noise, stats::noise_of_difference(a.values, b.values));
      into.score_tests.push_back({.score = a.score,
                                  .scope = a.scope,
                                  .a = a.binding,
                                  .b = b.binding,
                                  .n_a = a.values.size(),
                                  .n_b = b.values.size(),
                                  .mean_a = a.mean,
                                  .mean_b = b.mean,
                                  .noise = noise,
                                  .test = test});
    }
  }
  for (size_t i = first_test; i < into.score_tests.size(); ++i) {
    into.score_tests[i].largest_difference = largest;
  }
  return correct(into.score_tests, first_test);
}

using Does = bool (Observation::*)() const;  // which trials: trainings, or inferences
using TimeGroups = std::map<std::pair<Scope, std::string>, ByBinding<Numbers>>;  // and device

TimeGroups times_in(const Observations& observations, Does does) {
  TimeGroups groups;
  for (const auto& seen : observations) {
    if (seen.is_done() && (seen.*does)() && !seen.has_inner_timers() && !seen.seconds.empty()) {
      auto& times = groups[{*seen.scope, seen.device}][BindingKey(seen.binding)];
      times.insert(times.end(), seen.seconds.begin(), seen.seconds.end());
    }
  }
  return groups;
}

Status compare_times_in(const TimeGroups& groups,
                        std::vector<Times>& times,
                        std::vector<TimeTest>& tests) {
  for (const auto& [key, bindings] : groups) {
    const auto& [scope, device] = key;
    const auto baseline = bindings.find(BindingKey(std::string(kBaseline)));
    const size_t first = tests.size();
    for (const auto& [binding, seconds] : bindings) {
      CB_ASSIGN(const double median, stats::median(seconds));
      times.push_back({scope, binding.name, device, seconds, median});
      if (baseline == bindings.end() || binding.name == kBaseline) {
        continue;
      }
      CB_ASSIGN(const double baseline_median, stats::median(baseline->second));
      CB_ASSIGN(const auto test, test_of(baseline->second, seconds));
      CB_ASSIGN(const auto noise, stats::noise_of_ratio(baseline->second, seconds));
      tests.push_back({.scope = scope,
                       .binding = binding.name,
                       .device = device,
                       .n_baseline = baseline->second.size(),
                       .n = seconds.size(),
                       .median_baseline = baseline_median,
                       .median = median,
                       .noise = noise,
                       .test = test});
    }
    CB_TRY(correct(tests, first));
  }
  return {};
}

std::vector<Parts> parts_in(const Observations& observations, Does does) {
  std::map<std::tuple<Scope, std::string, BindingKey>, Parts> groups;
  for (const auto& seen : observations) {
    if (!seen.is_done() || !(seen.*does)() || !seen.parts || seen.seconds.empty()) {
      continue;
    }
    auto& parts = groups[{*seen.scope, seen.device, BindingKey(seen.binding)}];
    parts.scope = *seen.scope;
    parts.binding = seen.binding;
    parts.device = seen.device;
    ++parts.n;
    parts.load += seen.parts->load;
    parts.forward += seen.parts->forward;
    if (seen.parts->backward) {
      parts.backward = parts.backward.value_or(0) + *seen.parts->backward;
    }
    parts.total = std::accumulate(seen.seconds.begin(), seen.seconds.end(), parts.total);
  }
  std::vector<Parts> means;
  means.reserve(groups.size());
  for (auto& [key, parts] : groups) {
    const auto n = static_cast<double>(parts.n);
    parts.load /= n;
    parts.forward /= n;
    parts.total /= n;
    if (parts.backward) {
      *parts.backward /= n;
    }
    means.push_back(std::move(parts));
  }
  return means;
}

}  // namespace

Status compare_curves(const Observations& observations, Analysis& into) {
  for (const auto& [scope, bindings] : trainings_in(observations)) {
    CB_ASSIGN(const auto noises, noises_in(bindings));
    for (auto a = bindings.begin(); a != bindings.end(); ++a) {
      add_mean_curve(scope, a->first.name, a->second, into);
      for (auto b = std::next(a); b != bindings.end(); ++b) {
        const auto pairs = paired(a->second, b->second);
        for (const auto method : {DtwMethod::kFastDtw, DtwMethod::kExact}) {
          if (pairs.empty()) {
            continue;
          }
          CB_ASSIGN(auto distance, distance_of(pairs, method));
          distance.scope = scope;
          distance.a = a->first.name;
          distance.b = b->first.name;
          distance.noise = std::max(noises.at({a->first, method}), noises.at({b->first, method}));
          into.dtw.push_back(std::move(distance));
        }
      }
    }
  }
  return {};
}

Status compare_scores(const Observations& observations, Analysis& into) {
  const auto trainings = trainings_in(observations);
  for (const auto score : {Score::kAccuracy, Score::kF1, Score::kAuc}) {
    for (const auto& [scope, bindings] : trainings) {
      const size_t first = into.scores.size();
      for (const auto& [binding, trials] : bindings) {
        BindingScore found{score, scope, binding.name, scores_of(trials, score), 0};
        if (!found.values.empty()) {
          found.mean = stats::mean(found.values);
          into.scores.push_back(std::move(found));
        }
      }
      CB_TRY(test_scores(first, into));
    }
  }
  return {};
}

Status compare_times(const Observations& observations, Analysis& into) {
  CB_TRY(compare_times_in(times_in(observations, &Observation::is_training),
                          into.training_times,
                          into.training_time_tests));
  return compare_times_in(times_in(observations, &Observation::is_inference),
                          into.inference_times,
                          into.inference_time_tests);
}

void add_up_parts(const Observations& observations, Analysis& into) {
  into.training_parts = parts_in(observations, &Observation::is_training);
  into.inference_parts = parts_in(observations, &Observation::is_inference);
}

}  // namespace crossbind::analysis
