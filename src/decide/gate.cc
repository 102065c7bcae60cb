#include "decide/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/names.h"
#include "analysis/observation.h"
#include "analysis/reproduction.h"
#include "stats/comparison.h"
#include "trial/binding_name.h"

namespace crossbind::decide {
namespace {

// What a treatment is called: its axes, and those settings of which there is more than one value.
class TreatmentNames {
 public:
  TreatmentNames(const KeptStore& baseline, const KeptStore& candidate) {
    std::map<std::string, std::set<std::string>> values;
    for (const auto* kept : {&baseline, &candidate}) {
      for (const auto& [treatment, trials] : kept->treatments) {
        for (const auto& [name, value] : treatment.settings) {
          values[name].insert(value);
        }
      }
    }
    for (const auto& [name, different] : values) {
      if (different.size() > 1) {
        varied_.push_back(name);
      }
    }
  }

  [[nodiscard]] std::string operator()(const Treatment& treatment) const {
    const auto& axes = treatment.axes;
    std::string how = axes.device;
    for (const auto* axis : {&axes.loader, &axes.variant, &axes.measure}) {
      how += axis->empty() ? "" : ", " + *axis;
    }
    how += axes.weights.empty() ? "" : ", weights " + axes.weights;
    for (const auto& name : varied_) {
      const auto value = treatment.settings.find(name);
      how += value == treatment.settings.end() ? "" : fmt::format(", {} {}", name, value->second);
    }
    return fmt::format("{} {}{}: {} ({})",
                       axes.binding,
                       axes.model,
                       axes.dataset.empty() ? "" : " on " + axes.dataset,  // conform makes it up
                       axes.task,
                       how);
  }

 private:
  std::vector<std::string> varied_;
};

bool is_same_measurement(const Kept& a, const Kept& b) {
  return a.identity == b.identity && a.started == b.started;
}

// Holds what two stores keep against each other, treatment by treatment.
class Gatekeeper {
 public:
  Gatekeeper(const KeptStore& baseline, const KeptStore& candidate, const GateOptions& options)
      : names_(baseline, candidate) {
    gate_.options = options;
    gate_.machines_baseline = {baseline.machines.begin(), baseline.machines.end()};
    gate_.machines_candidate = {candidate.machines.begin(), candidate.machines.end()};
    for (const auto& [treatment, trials] : baseline.treatments) {
      const auto found = candidate.treatments.find(treatment);
      if (found == candidate.treatments.end()) {
        gate_.missing.push_back({names_(treatment), trials.size()});
      } else {
        add(treatment, trials, found->second);
      }
    }
    for (const auto& [treatment, trials] : candidate.treatments) {
      gate_.added += baseline.treatments.contains(treatment) ? 0 : 1;
    }
  }

  Result<Gate> finish() && {
    if (gate_.options.max_slowdown) {
      CB_TRY(judge_all_times());
    }
    return std::move(gate_);
  }

 private:
  void add(const Treatment& treatment, const Trials& baseline, const Trials& candidate) {
    const AccuracyTolerance tolerance(treatment, baseline);
    bool same = true;
    size_t missing = 0;
    for (const auto& [seed, before] : baseline) {
      const auto now = candidate.find(seed);
      if (now == candidate.end()) {
        ++missing;
        continue;
      }
      same &= is_same_measurement(before, now->second);
      compare(treatment, seed, before, now->second, tolerance);
    }
    if (missing > 0) {
      gate_.fewer.push_back({names_(treatment), missing});
    }
    if (!same && gate_.options.max_slowdown) {
      add_times(treatment, baseline, candidate);
    }
  }

  void compare(const Treatment& treatment,
               const analysis::SeedAndRepeat& seed,
               const Kept& before,
               const Kept& now,
               const AccuracyTolerance& tolerance) {
    ++gate_.compared;
    gate_.same += is_same_measurement(before, now) ? 1 : 0;
    const bool was_done = before.outcome == store::Outcome::kDone;
    const bool is_done = now.outcome == store::Outcome::kDone;
    gate_.repaired += !was_done && is_done ? 1 : 0;
    gate_.other_bits +=
        was_done && is_done && !before.parameters.empty() && before.parameters != now.parameters
            ? 1
            : 0;
    if (was_done && is_done && before.accuracies != now.accuracies &&
        !tolerance.between(0.5, 0.5)) {
      ++gate_.unjudged_accuracies;
    }
    if (auto change = change_between(before, now, tolerance)) {
      gate_.changes.push_back({names_(treatment),
                               fmt::format("seed {}, repeat {}", seed.first, seed.second),
                               std::move(*change)});
    }
  }

  void add_times(const Treatment& treatment, const Trials& baseline, const Trials& candidate) {
    TimeSamples samples{seconds_of(baseline, candidate), seconds_of(candidate, baseline)};
    if (!samples.baseline.empty() && !samples.candidate.empty()) {
      gate_.times.push_back(
          {names_(treatment), samples.baseline.size(), samples.candidate.size(), {}, {}});
      samples_.push_back(std::move(samples));
    }
  }

  Status judge_all_times() {
    const TimeLimits limits{*gate_.options.max_slowdown, gate_.options.alpha};
    CB_ASSIGN(const auto findings, judge_times(samples_, limits));
    for (size_t i = 0; i < findings.size(); ++i) {
      gate_.times[i].finding = findings[i];
      CB_ASSIGN(const auto compared,
                stats::compare(samples_[i].baseline,
                               samples_[i].candidate,
                               {.method = stats::UMethod::kAsymptotic}));
      gate_.times[i].ratio_interval = compared.ratio_interval;
    }
    return {};
  }

  TreatmentNames names_;
  std::vector<TimeSamples> samples_;  // of gate_.times
  Gate gate_;
};

using Reproduced = std::map<std::tuple<analysis::Scope, std::string, std::string, analysis::Mode>,
                            analysis::CrossBinding>;

Result<Reproduced> reproduced_in(const store::StoreReader& store) {
  CB_ASSIGN(auto observed, analysis::observe(store, std::nullopt));
  // What did not run to its end is an outcome, and is compared as one.
  std::erase_if(observed.trials,
                [](const auto& seen) { return seen.outcome != store::Outcome::kDone; });
  analysis::Analysis found;
  analysis::judge_reproduction(observed.trials, found);
  Reproduced cells;
  for (auto& cell : found.cross_binding) {
    cells.emplace(std::tuple(cell.scope, cell.binding, cell.device, cell.mode), cell);
  }
  return cells;
}

std::string name_of(const analysis::CrossBinding& cell) {
  return fmt::format("{} {}: inference by {} ({}, weights {})",
                     trial::BindingName(cell.scope.framework, cell.binding).text(),
                     cell.scope.model,
                     to_string(cell.mode),
                     cell.device,
                     cell.scope.condition.at("weights"));
}

Status compare_reproduction(const store::StoreReader& baseline,
                            const store::StoreReader& candidate,
                            Gate& gate) {
  CB_ASSIGN(const auto before, reproduced_in(baseline));
  CB_ASSIGN(const auto now, reproduced_in(candidate));
  for (const auto& [key, cell] : now) {
    const auto was = before.find(key);
    if (was == before.end() || cell.outcome != analysis::Reproduction::kFailed ||
        was->second.outcome != analysis::Reproduction::kReproduced) {
      continue;
    }
    gate.changes.push_back(
        {name_of(cell),
         "",
         {ChangeKind::kReproduction,
          cell.largest_difference
              ? fmt::format(
                    "kept the accuracy of the models it loads, now it is off by up to {:.4f}",
                    *cell.largest_difference)
              : "kept the accuracy of the models it loads, now it does not"}});
  }
  return {};
}

// What a decision needs and is not there.
std::vector<std::string> reasons_to_doubt(const Gate& gate) {
  std::vector<std::string> reasons;
  if (gate.compared == 0) {
    reasons.emplace_back("nothing was compared: the stores share no trial");
  } else if (gate.same == gate.compared && !gate.options.allow_unchanged) {
    reasons.emplace_back(
        "nothing was compared: every trial is one and the same measurement in both stores");
  }
  if (!gate.missing.empty() && !gate.options.allow_missing) {
    reasons.push_back(fmt::format("{} of what the baseline measured is missing in the candidate",
                                  gate.missing.size()));
  }
  const auto too_few = [](const TreatmentTime& time) { return time.finding.pace == Pace::kTooFew; };
  if (gate.options.max_slowdown && !gate.times.empty() &&
      std::ranges::all_of(gate.times, too_few)) {
    const auto most = std::ranges::max_element(
        gate.times, {}, [](const TreatmentTime& time) { return time.finding.needed; });
    reasons.push_back(
        fmt::format("no time was judged: the samples are too few to be significant at {}; "
                    "{} each would do",
                    gate.options.alpha,
                    most->finding.needed));
  }
  return reasons;
}

GateDecision decision_of(const Gate& gate) {
  const bool slower = std::ranges::any_of(
      gate.times, [](const TreatmentTime& time) { return time.finding.pace == Pace::kSlower; });
  if (slower || !gate.changes.empty()) {
    return GateDecision::kFailed;
  }
  return gate.undecided.empty() ? GateDecision::kPassed : GateDecision::kUndecided;
}

}  // namespace

Result<Gate> compare_stores(const store::StoreReader& baseline,
                            const store::StoreReader& candidate,
                            const GateOptions& options) {
  CB_ASSIGN(const auto before, keep(baseline));
  CB_ASSIGN(const auto now, keep(candidate));
  CB_ASSIGN(auto gate, Gatekeeper(before, now, options).finish());
  CB_TRY(compare_reproduction(baseline, candidate, gate));
  gate.undecided = reasons_to_doubt(gate);
  gate.decision = decision_of(gate);
  return gate;
}

Result<SelfTest> self_test(const store::StoreReader& store,
                           const TimeLimits& limits,
                           const SelfTestOptions& options) {
  CB_ASSIGN(const auto kept, keep(store));
  std::vector<std::vector<double>> samples;
  samples.reserve(kept.treatments.size());
  for (const auto& [treatment, trials] : kept.treatments) {
    samples.push_back(seconds_of(trials, trials));
  }
  return self_test(samples, limits, options);
}

}  // namespace crossbind::decide
