#include "analysis/observation.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "analysis/names.h"
#include "tasks/conform/study.h"
#include "trial/binding_name.h"

namespace crossbind::analysis {
namespace {

constexpr std::array<std::string_view, 7> kFixedSettings = {"batch_size",
                                                            "epochs",
                                                            "shuffle",
                                                            "threads",
                                                            "test_samples",
                                                            "train_samples",
                                                            "training_accuracy"};

Scope scope_of(const store::TrialRecord& trial, trial::Task task) {
  const auto& axes = trial.axes;
  Scope scope{trial::BindingName(axes.binding).framework(), axes.model, {}};
  scope.condition = {{"dataset", axes.dataset}, {"loader", axes.loader}, {"variant", axes.variant}};
  switch (task) {
    case trial::Task::kTrain:
      scope.condition["device"] = device_of(axes);
      scope.condition["shuffle"] = "true";  // said only where it is not
      break;
    case trial::Task::kInferParameters:
    case trial::Task::kInferSerialization:
    case trial::Task::kJudge:
    case trial::Task::kConform:
      scope.condition["weights"] = axes.weights;
      break;
  }
  for (const auto& setting : trial.settings) {
    if (std::ranges::find(kFixedSettings, setting.name) != kFixedSettings.end()) {
      scope.condition[setting.name] = setting.requested;
    }
  }
  return scope;
}

void add_up(const std::vector<double>& values, double& sum) {
  sum = std::accumulate(values.begin(), values.end(), sum);
}

void add_up(const tasks::PartTimes& times, std::optional<PartSums>& into) {
  if (times.empty()) {
    return;
  }
  PartSums sums = into.value_or(PartSums{});
  add_up(times.load, sums.load);
  add_up(times.forward, sums.forward);
  if (!times.backward.empty()) {
    double backward = sums.backward.value_or(0);
    add_up(times.backward, backward);
    sums.backward = backward;
  }
  into = sums;
}

void take_curve(const std::vector<store::EpochPoint>& curve, Observation& seen) {
  if (curve.empty()) {
    return;
  }
  seen.final_train_accuracy = curve.back().train_accuracy;
  seen.final_test_accuracy = curve.back().test_accuracy;
  seen.train_accuracy.reserve(curve.size());
  for (const auto& point : curve) {
    if (!point.train_accuracy) {
      seen.train_accuracy.clear();
      return;
    }
    seen.train_accuracy.push_back(*point.train_accuracy);
  }
}

// Takes what was measured into an observation.
struct Taking {
  Observation& seen;

  void operator()(tasks::Trained&& trained) const {
    take_curve(trained.curve, seen);
    if (const auto seconds = tasks::seconds_of(trained)) {
      seen.seconds = {*seconds};
    }
    for (const auto& epoch : trained.epochs) {
      add_up(epoch.parts, seen.parts);
    }
    seen.f1 = trained.f1;
    seen.auc = trained.auc;
    seen.parameters_sha256 = std::move(trained.parameters_sha256);
    seen.contradictions = std::move(trained.contradictions);
  }

  void operator()(tasks::Inferred&& inferred) const {
    add_up(inferred.parts, seen.parts);
    seen.seconds = std::move(inferred.test.seconds);
    seen.test = std::move(inferred.test);
    seen.train = std::move(inferred.train);
    seen.answers = std::move(inferred.answers);
    if (!inferred.seeds.empty()) {
      seen.seeds = std::move(inferred.seeds);
    }
    seen.contradictions = std::move(inferred.contradictions);
  }

  void operator()(tasks::Judged&& judged) const { seen.judged = std::move(judged); }

  // What conform says is kept apart from the observations.
  void operator()(tasks::Conformed&&) const {}
};

Observation observation_of(const store::TrialRecord& trial,
                           trial::Task task,
                           tasks::Measured&& measured,
                           std::set<Scope>& scopes) {
  Observation seen;
  seen.scope = &*scopes.insert(scope_of(trial, task)).first;
  seen.binding = trial::BindingName(trial.axes.binding).language();
  seen.device = device_of(trial.axes);
  seen.task = task;
  seen.axes = trial.axes;
  seen.outcome = trial.outcome;
  seen.identity = trial.identity;
  seen.started = trial.started;
  seen.seeds = {trial.axes.seed};
  std::visit(Taking{seen}, std::move(measured));
  return seen;
}

StoredVerdict stored_verdict_of(const store::TrialRecord& trial, tasks::Conformed&& verdict) {
  StoredVerdict found{trial.axes, {}, trial.identity, trial.started, std::move(verdict)};
  for (const auto& setting : trial.settings) {
    found.questions[setting.name] = setting.requested;
  }
  return found;
}

// A verdict of conform is about a binding and a model, not about a study: one study of a store has
// the store's verdicts on what it measured.
Status add_verdicts(const store::StoreReader& store, Observed& into) {
  std::set<std::pair<std::string, std::string>> measured;
  for (const auto& seen : into.trials) {
    measured.emplace(seen.axes.binding, seen.axes.model);
  }
  CB_ASSIGN(const auto studies, store.studies());
  for (const auto& study : studies) {
    if (!tasks::may_hold_verdicts(study.record)) {
      continue;
    }
    CB_TRY(store.for_each_trial(study.id, [&](const store::TrialRecord& trial) -> Status {
      CB_ASSIGN(auto found, tasks::read(trial));
      auto* verdict = std::get_if<tasks::Conformed>(&found);
      if (verdict != nullptr && measured.contains({trial.axes.binding, trial.axes.model})) {
        into.verdicts.push_back(stored_verdict_of(trial, std::move(*verdict)));
      }
      return {};
    }));
  }
  return {};
}

// The latest of those that differ in the build of a worker alone.
void keep_latest(std::vector<StoredVerdict>& all) {
  const auto about = [](const StoredVerdict& one) {
    return std::tie(one.axes.binding, one.axes.model, one.axes.device, one.questions);
  };
  std::ranges::sort(all, [&](const StoredVerdict& a, const StoredVerdict& b) {
    return about(a) != about(b) ? about(a) < about(b)
                                : std::tie(b.started, b.identity) < std::tie(a.started, a.identity);
  });
  const auto is_repeated = [&](const StoredVerdict& a, const StoredVerdict& b) {
    return about(a) == about(b);
  };
  all.erase(std::unique(all.begin(), all.end(), is_repeated), all.end());
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

std::string device_of(const store::Axes& axes) {
  const bool gpu = axes.device.starts_with("cuda") || axes.device == "gpu";
  return gpu ? "gpu" : axes.device;
}

std::optional<Mode> Observation::mode() const {
  return mode_of(task);
}

std::optional<Mode> mode_of(trial::Task task) {
  switch (task) {
    case trial::Task::kInferParameters:
      return Mode::kParameters;
    case trial::Task::kInferSerialization:
      return Mode::kSerialization;
    case trial::Task::kTrain:
    case trial::Task::kJudge:
    case trial::Task::kConform:
      return std::nullopt;
  }
  return std::nullopt;
}

Result<Observed> observe(const store::StoreReader& store,
                         const std::optional<store::StudyId>& study) {
  return observe(store, study, [](const store::TrialRecord&, const tasks::Measured&) {});
}

Result<Observed> observe(const store::StoreReader& store,
                         const std::optional<store::StudyId>& study,
                         const AlsoSees& also) {
  Observed observed;
  auto& all = observed.trials;
  CB_TRY(store.for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
    CB_ASSIGN(const auto task, tasks::task_of(trial.axes));
    CB_ASSIGN(auto measured, tasks::read(trial));
    if (auto* verdict = std::get_if<tasks::Conformed>(&measured)) {
      observed.verdicts.push_back(stored_verdict_of(trial, std::move(*verdict)));
      return {};
    }
    also(trial, measured);
    all.push_back(observation_of(trial, task, std::move(measured), observed.scopes));
    add_components(trial.worker, all.back(), observed.components);
    return {};
  }));
  if (study) {
    CB_TRY(add_verdicts(store, observed));
  }
  keep_latest(observed.verdicts);
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
