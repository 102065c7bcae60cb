#include "decide/kept.h"

#include <limits>
#include <tuple>

#include "tasks/measured.h"

namespace crossbind::decide {
namespace {

Treatment treatment_of(const store::TrialRecord& trial) {
  Treatment treatment{.axes = trial.axes};
  treatment.axes.seed = 0;
  treatment.axes.repeat = 0;
  for (const auto& setting : trial.settings) {
    treatment.settings[setting.name] = setting.requested;
  }
  return treatment;
}

// Takes what was measured into what is kept.
struct Taking {
  Kept& kept;
  bool has_times;

  void operator()(tasks::Trained&& trained) const {
    const auto seconds = tasks::seconds_of(trained);
    if (has_times && seconds) {
      kept.seconds = {*seconds};
    }
    if (!trained.curve.empty() && trained.curve.back().test_accuracy) {
      kept.accuracies = {*trained.curve.back().test_accuracy};
    }
    kept.parameters = std::move(trained.parameters_sha256);
  }

  void operator()(tasks::Inferred&& inferred) const {
    if (has_times) {
      kept.seconds = std::move(inferred.test.seconds);
    }
    kept.accuracies = std::move(inferred.test.accuracy);
  }

  void operator()(tasks::Judged&& judged) const {
    kept.ruling = judged.ruling;
    kept.where = std::move(judged.where);
  }

  void operator()(tasks::Conformed&& conformed) const {
    kept.ruling = tasks::ruling_of(conformed.outcome);
    if (conformed.divergence) {
      kept.where = tasks::where_in_words(*conformed.divergence);
    }
  }
};

Result<Kept> kept_of(const store::TrialRecord& trial) {
  Kept kept;
  kept.identity = trial.identity;
  kept.started = trial.started;
  kept.outcome = trial.outcome;
  kept.reason = trial.reason;
  // Inner timers wait for the device between the parts: their totals are not what a user waits.
  const bool has_times = trial.axes.measure != "parts";
  CB_ASSIGN(auto measured, tasks::read(trial));
  std::visit(Taking{kept, has_times}, std::move(measured));
  return kept;
}

}  // namespace

Result<KeptStore> keep(const store::StoreReader& store) {
  KeptStore kept;
  CB_TRY(store.for_each_trial(std::nullopt, [&](const store::TrialRecord& trial) -> Status {
    auto& trials = kept.treatments[treatment_of(trial)];
    CB_ASSIGN(Kept now, kept_of(trial));
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
