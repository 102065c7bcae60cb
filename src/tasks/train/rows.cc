#include "tasks/train/rows.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tasks/rows.h"

namespace crossbind::tasks {
namespace {

constexpr std::string_view kEpoch = "train.epoch";
constexpr std::string_view kInTotal = "train.total";
constexpr std::string_view kTestLoss = "test.loss";
constexpr std::string_view kF1 = "test.f1";
constexpr std::string_view kAuc = "test.auc";
constexpr std::string_view kParametersHash = "parameters_sha256";

constexpr std::array<std::pair<std::string_view, std::vector<double> PartTimes::*>, 3> kParts = {
    {{"train.load", &PartTimes::load},
     {"train.forward", &PartTimes::forward},
     {"train.backward", &PartTimes::backward}}};

void add_number(std::string_view metric,
                int epoch,
                const std::optional<double>& value,
                store::TrialRecord& into) {
  if (value) {
    add_series(metric, epoch, {*value}, into);
  }
}

double sum(const store::Series& series) {
  return std::accumulate(series.values.begin(), series.values.end(), 0.0);
}

// Series come by metric, then by epoch: an epoch is met once for each of its metrics.
TimedEpoch& epoch_in(Trained& trained, int number) {
  auto place = std::ranges::lower_bound(trained.epochs, number, {}, &TimedEpoch::epoch);
  if (place == trained.epochs.end() || place->epoch != number) {
    place = trained.epochs.insert(place, TimedEpoch{number, {}, {}});
  }
  return *place;
}

void take(const store::Series& series, Trained& into) {
  if (series.metric == kEpoch) {
    epoch_in(into, series.epoch).seconds = sum(series);
  } else if (series.metric == kInTotal) {
    into.in_total = sum(series);
  } else if (series.metric == kWarmup) {
    append(series, into.warmup);
  } else if (series.metric == kTestLoss) {
    into.test_loss.emplace(series.epoch, series.values.front());
  } else if (series.metric == kF1) {
    into.f1 = series.values.front();
  } else if (series.metric == kAuc) {
    into.auc = series.values.front();
  }
  for (const auto& [name, part] : kParts) {
    if (series.metric == name) {
      append(series, epoch_in(into, series.epoch).parts.*part);
    }
  }
}

}  // namespace

void write(const Trained& trained, store::TrialRecord& into) {
  into.curve = trained.curve;
  add_series(kWarmup, 0, trained.warmup, into);
  for (const auto& epoch : trained.epochs) {
    add_number(kEpoch, epoch.epoch, epoch.seconds, into);
    for (const auto& [name, part] : kParts) {
      add_series(name, epoch.epoch, epoch.parts.*part, into);
    }
  }
  add_number(kInTotal, 0, trained.in_total, into);
  for (const auto& [epoch, loss] : trained.test_loss) {
    add_number(kTestLoss, epoch, loss, into);
  }
  add_number(kF1, 0, trained.f1, into);
  add_number(kAuc, 0, trained.auc, into);
  add_fact(kParametersHash, trained.parameters_sha256, into);
  add_fact(kOutputsHash, trained.outputs_sha256, into);
  add_contradictions(trained.contradictions, into);
}

Result<Trained> read_trained(const store::TrialRecord& trial) {
  Trained trained;
  trained.curve = trial.curve;
  for (const auto& series : trial.series) {
    take(series, trained);
  }
  trained.parameters_sha256 = fact_in(trial, kParametersHash);
  trained.outputs_sha256 = fact_in(trial, kOutputsHash);
  trained.contradictions = contradictions_in(trial);
  return trained;
}

}  // namespace crossbind::tasks
