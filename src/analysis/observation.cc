#include "analysis/observation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <tuple>

#include "analysis/names.h"

namespace crossbind::analysis {
namespace {

constexpr std::string_view kContradiction = "contradiction.";
constexpr std::array<std::string_view, 7> kFixedSettings = {"batch_size",
                                                            "epochs",
                                                            "shuffle",
                                                            "threads",
                                                            "test_samples",
                                                            "train_samples",
                                                            "training_accuracy"};

std::string device_of(const store::Axes& axes) {
  const bool gpu = axes.device.starts_with("cuda") || axes.device == "gpu";
  return gpu ? "gpu" : axes.device;
}

Scope scope_of(const store::TrialRecord& trial) {
  const auto& axes = trial.axes;
  const size_t slash = axes.binding.find('/');
  Scope scope{axes.binding.substr(0, slash), axes.model, {}};
  scope.condition = {{"dataset", axes.dataset}, {"loader", axes.loader}, {"variant", axes.variant}};
  if (axes.task == "train") {
    scope.condition["device"] = device_of(axes);
    scope.condition["shuffle"] = "true";  // said only where it is not
  } else {
    scope.condition["weights"] = axes.weights;
  }
  for (const auto& setting : trial.settings) {
    if (std::ranges::find(kFixedSettings, setting.name) != kFixedSettings.end()) {
      scope.condition[setting.name] = setting.requested;
    }
  }
  return scope;
}

double sum(const std::vector<double>& values, double start) {
  return std::accumulate(values.begin(), values.end(), start);
}

std::vector<uint32_t> numbers_in(const std::string& text) {
  std::vector<uint32_t> numbers;
  const char* place = text.data();
  const char* const end = place + text.size();
  uint32_t number = 0;
  while (place < end) {
    const auto [next, error] = std::from_chars(place, end, number);
    if (error != std::errc()) {
      break;
    }
    numbers.push_back(number);
    place = next + 1;
  }
  return numbers;
}

void take_curve(const store::TrialRecord& trial, Observation& seen) {
  if (trial.curve.empty()) {
    return;
  }
  seen.final_train_accuracy = trial.curve.back().train_accuracy;
  seen.final_test_accuracy = trial.curve.back().test_accuracy;
  seen.train_accuracy.reserve(trial.curve.size());
  for (const auto& point : trial.curve) {
    if (!point.train_accuracy) {
      seen.train_accuracy.clear();
      return;
    }
    seen.train_accuracy.push_back(*point.train_accuracy);
  }
}

// Metrics by name: a worker's, and those of published measurements.
void take_inference_series(const store::Series& series, Observation& seen) {
  const auto append = [&](std::vector<double>& into) {
    into.insert(into.end(), series.values.begin(), series.values.end());
  };
  const std::string& metric = series.metric;
  if (metric == "infer.total") {
    append(seen.seconds);
  } else if (metric == "infer.accuracy") {
    append(seen.test.accuracy);
  } else if (metric == "infer.expected") {
    append(seen.test.expected);
  } else if (metric == "infer.same") {
    append(seen.test.same);
  } else if (metric == "infer.train_accuracy") {
    append(seen.train.accuracy);
  } else if (metric == "infer.train_expected") {
    append(seen.train.expected);
  } else if (metric == "infer.train_same") {
    append(seen.train.same);
  } else if (metric == "infer.differing") {
    append(seen.answers.differing);
  } else if (metric == "infer.margin") {
    append(seen.answers.margins);
  } else if (metric == "infer.output_difference") {
    append(seen.answers.output_difference);
  }
}

void take_training_series(const store::Series& series, Observation& seen) {
  if (series.metric == "train.total" || series.metric == "train.epoch") {
    seen.seconds = {sum(series.values, seen.seconds.empty() ? 0 : seen.seconds[0])};
  } else if (series.metric == "test.f1") {
    seen.f1 = series.values.front();
  } else if (series.metric == "test.auc") {
    seen.auc = series.values.front();
  }
}

void take_part(const store::Series& series, const std::string& task, Observation& seen) {
  PartSums parts = seen.parts.value_or(PartSums{});
  if (series.metric == task + ".load") {
    parts.load = sum(series.values, parts.load);
  } else if (series.metric == task + ".forward") {
    parts.forward = sum(series.values, parts.forward);
  } else if (series.metric == task + ".backward") {
    parts.backward = sum(series.values, parts.backward.value_or(0));
  } else {
    return;
  }
  seen.parts = parts;
}

Observation observation_of(const store::TrialRecord& trial, std::set<Scope>& scopes) {
  Observation seen;
  seen.scope = &*scopes.insert(scope_of(trial)).first;
  const size_t slash = trial.axes.binding.find('/');
  seen.binding =
      slash == std::string::npos ? trial.axes.binding : trial.axes.binding.substr(slash + 1);
  seen.device = device_of(trial.axes);
  seen.axes = trial.axes;
  seen.outcome = trial.outcome;
  seen.identity = trial.identity;
  seen.started = trial.started;
  take_curve(trial, seen);
  for (const auto& series : trial.series) {
    take_part(series, seen.is_training() ? "train" : "infer", seen);
    if (seen.is_training()) {
      take_training_series(series, seen);
    } else {
      take_inference_series(series, seen);
    }
  }
  for (const auto& [name, value] : trial.facts) {
    if (name.starts_with(kContradiction)) {
      seen.contradictions.emplace_back(name.substr(kContradiction.size()), value);
    }
  }
  const auto seeds = trial.facts.find("seeds");
  seen.seeds =
      seeds == trial.facts.end() ? std::vector{trial.axes.seed} : numbers_in(seeds->second);
  return seen;
}

// What two trials must share to be one and the same measurement. One that is not done stands
// beside those that are.
auto place_of(const Observation& seen) {
  using Text = const std::string&;
  return std::tuple<const Scope&, size_t, Text, Text, Text, Text, uint32_t, int, store::Outcome>(
      *seen.scope,
      rank_of(seen.binding),
      seen.binding,
      seen.device,
      seen.axes.task,
      seen.axes.measure,
      seen.axes.seed,
      seen.axes.repeat,
      seen.outcome);
}

// Libraries are noted by their hashes, which are no versions.
void add_components(const store::Environment& worker,
                    const Observation& seen,
                    std::set<Component>& components) {
  constexpr size_t kHashLength = 64;
  for (const auto& [name, version] : worker) {
    if (version.size() != kHashLength) {
      components.insert({seen.scope->framework, seen.binding, name, version});
    }
  }
}

}  // namespace

Result<Observed> observe(const store::ResultStore& store,
                         const std::optional<store::StudyId>& study) {
  return observe(store, study, [](const store::TrialRecord&) { return Status(); });
}

Result<Observed> observe(const store::ResultStore& store,
                         const std::optional<store::StudyId>& study,
                         const store::ResultStore::Visitor& also) {
  Observed observed;
  auto& all = observed.trials;
  CB_TRY(store.for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
    all.push_back(observation_of(trial, observed.scopes));
    add_components(trial.worker, all.back(), observed.components);
    return also(trial);
  }));
  std::ranges::sort(all, [](const Observation& a, const Observation& b) {
    const auto place_a = place_of(a);
    const auto place_b = place_of(b);
    if (place_a != place_b) {
      return place_a < place_b;
    }
    return std::tie(b.started, b.identity) < std::tie(a.started, a.identity);
  });
  const auto is_repeated = [](const Observation& a, const Observation& b) {
    return place_of(a) == place_of(b);
  };
  all.erase(std::unique(all.begin(), all.end(), is_repeated), all.end());
  return observed;
}

}  // namespace crossbind::analysis
