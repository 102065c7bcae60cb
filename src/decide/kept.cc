#include "decide/kept.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace crossbind::decide {
namespace {

Subject subject_of(const store::TrialRecord& trial) {
  Subject subject;
  subject.axes.reserve(store::kTextAxes.size());
  for (const auto& axis : store::kTextAxes) {
    subject.axes.push_back(trial.axes.*axis.field);
  }
  for (const auto& setting : trial.settings) {
    subject.settings[setting.name] = setting.requested;
  }
  return subject;
}

std::string fact(const store::TrialRecord& trial, const std::string& name) {
  const auto found = trial.facts.find(name);
  return found == trial.facts.end() ? std::string() : found->second;
}

// Inner timers wait for the device between the parts: their totals are not what a user waits.
void take_seconds(const store::TrialRecord& trial, Kept& kept) {
  double training = 0;
  bool trained = false;
  for (const auto& series : trial.series) {
    if (series.metric == "train.epoch" || series.metric == "train.total") {
      training = std::accumulate(series.values.begin(), series.values.end(), training);
      trained = true;
    } else if (series.metric == "infer.total") {
      kept.seconds.insert(kept.seconds.end(), series.values.begin(), series.values.end());
    }
  }
  if (trained) {
    kept.seconds = {training};
  }
}

Kept kept_of(const store::TrialRecord& trial) {
  Kept kept;
  kept.identity = trial.identity;
  kept.started = trial.started;
  kept.outcome = trial.outcome;
  kept.reason = trial.reason;
  if (trial.axes.measure != "parts") {
    take_seconds(trial, kept);
  }
  for (const auto& series : trial.series) {
    if (series.metric == "infer.accuracy") {
      kept.accuracies.insert(kept.accuracies.end(), series.values.begin(), series.values.end());
    }
  }
  if (!trial.curve.empty() && trial.curve.back().test_accuracy) {
    kept.accuracies = {*trial.curve.back().test_accuracy};
  }
  kept.parameters = fact(trial, "parameters_sha256");
  kept.verdict = fact(trial, "verdict");
  kept.where = fact(trial, "verdict.where");
  return kept;
}

}  // namespace

const std::string& Subject::axis(std::string_view name) const {
  const auto place = std::ranges::find(store::kTextAxes, name, &store::TextAxis::name);
  return axes[static_cast<size_t>(place - store::kTextAxes.begin())];
}

Result<KeptStore> keep(const store::ResultStore& store) {
  KeptStore kept;
  CB_TRY(store.for_each_trial(std::nullopt, [&](const store::TrialRecord& trial) -> Status {
    auto& trials = kept.subjects[subject_of(trial)];
    Kept now = kept_of(trial);
    const auto [place, is_new] = trials.try_emplace({trial.axes.seed, trial.axes.repeat}, now);
    const Kept& before = place->second;
    if (!is_new &&
        std::tie(before.started, before.identity) < std::tie(now.started, now.identity)) {
      place->second = std::move(now);
    }
    if (const auto machine = trial.host.find("cpu"); machine != trial.host.end()) {
      kept.machines.insert(machine->second);
    }
    return {};
  }));
  return kept;
}

std::vector<double> seconds_of(const Trials& trials, const Trials& other) {
  std::vector<double> seconds;
  for (const auto& [seed, trial] : trials) {
    const auto shared = other.lower_bound({seed.first, std::numeric_limits<int>::min()});
    if (trial.outcome == store::Outcome::kDone && shared != other.end() &&
        shared->first.first == seed.first) {
      seconds.insert(seconds.end(), trial.seconds.begin(), trial.seconds.end());
    }
  }
  return seconds;
}

}  // namespace crossbind::decide
