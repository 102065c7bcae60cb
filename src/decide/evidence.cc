#include "decide/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <unordered_map>

#include "analysis/comparisons.h"
#include "analysis/names.h"
#include "analysis/observation.h"
#include "analysis/reproduction.h"
#include "base/named.h"
#include "stats/summary.h"

namespace crossbind::decide {
namespace {

using analysis::Observation;

constexpr std::array kCorrectnesses = {
    Named<Correctness>{"referee", Correctness::kReferee},
    Named<Correctness>{"keeps accuracy", Correctness::kKept},
    Named<Correctness>{"baseline", Correctness::kBaseline},
    Named<Correctness>{"same accuracy", Correctness::kAccuracy},
    Named<Correctness>{"unknown", Correctness::kUnknown},
    Named<Correctness>{"diverges", Correctness::kDiverges},
    Named<Correctness>{"loses accuracy", Correctness::kLost},
    Named<Correctness>{"contradicted", Correctness::kContradicted},
    Named<Correctness>{"other accuracy", Correctness::kOther}};

constexpr std::array kWorks = {Named<Work>{"inference", Work::kInference},
                               Named<Work>{"training", Work::kTraining}};

CaseKey key_of(const Observation& seen, Work work) {
  CaseKey key{work, seen.axes.model, seen.device, seen.scope->condition};
  key.condition.erase("device");
  key.condition.erase("weights");
  return key;
}

bool is_in(const CaseKey& key, const analysis::Scope& scope) {
  auto condition = scope.condition;
  condition.erase("device");
  condition.erase("weights");
  return scope.model == key.model && condition == key.condition;
}

size_t epochs_noted(const Observation& seen) {
  const auto found = seen.scope->condition.find("epochs");
  size_t epochs = 0;
  if (found != seen.scope->condition.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), epochs);
  }
  return epochs > 0 ? epochs : seen.train_accuracy.size();
}

// Into how many parts its time is divided; 0: that is not known.
size_t epochs_of(const Observation& seen, Work work) {
  switch (work) {
    case Work::kInference:
      return 1;
    case Work::kTraining:
      return epochs_noted(seen);
  }
  return 0;
}

// What the referee said of a binding, model, data set and device.
struct Testimony {
  size_t right = 0;
  std::string wrong;  // where
};
using JudgedKey = std::tuple<std::string, std::string, std::string, std::string>;
using ConformedKey = std::tuple<std::string, std::string, std::string>;  // no data set

// Options of one case while trials are added to them.
struct Growing {
  Option option;
  std::vector<double> wholes;
  std::vector<double> memory;
  std::string why_not;  // of the last trial that was not done
};
using OptionKey = std::pair<std::string, std::optional<analysis::Mode>>;

template <typename Key>
Testimony found_in(const std::map<Key, Testimony>& all, const Key& key) {
  const auto found = all.find(key);
  return found == all.end() ? Testimony() : found->second;
}

class Gatherer {
 public:
  explicit Gatherer(const store::StoreReader& store) : store_(store) {}

  Result<Cases> gather(const std::optional<store::StudyId>& study) {
    CB_ASSIGN(auto observed, analysis::observe(store_, study));
    CB_ASSIGN(auto summaries, store_.trials(study));
    for (auto& summary : summaries) {
      summaries_.emplace(summary.identity, std::move(summary));
    }
    take_verdicts(observed.verdicts);
    take_judgements(observed.trials);
    CB_TRY(analysis::compare_scores(observed.trials, analysis_));
    analysis::add_up_parts(observed.trials, analysis_);
    analysis::judge_reproduction(observed.trials, analysis_);
    for (const auto& seen : observed.trials) {
      if (const auto work = work_of(seen.task)) {
        add(seen, *work);
      }
    }
    Cases cases;
    for (auto& [key, options] : growing_) {
      cases.emplace(key, finished(key, options));
    }
    fold_unmeasured(cases);
    return cases;
  }

 private:
  // What did not run may know less of its conditions than what did: it belongs to every case that
  // it does not contradict.
  static void fold_unmeasured(Cases& cases) {
    std::erase_if(cases, [&](const Cases::value_type& bare) {
      bool folded = false;
      for (auto& [key, found] : cases) {
        if (bare.second.options.empty() && !found.options.empty() && is_part_of(bare.first, key)) {
          found.unmeasured.insert(
              found.unmeasured.end(), bare.second.unmeasured.begin(), bare.second.unmeasured.end());
          folded = true;
        }
      }
      return folded;
    });
  }

  static bool is_part_of(const CaseKey& bare, const CaseKey& key) {
    return bare.work == key.work && bare.model == key.model && bare.device == key.device &&
           std::ranges::all_of(bare.condition, [&](const auto& entry) {
             const auto found = key.condition.find(entry.first);
             return found != key.condition.end() && found->second == entry.second;
           });
  }

  void take_judgements(const analysis::Observations& trials) {
    for (const auto& seen : trials) {
      if (!seen.judged || !seen.is_done()) {
        continue;
      }
      auto& judged = judged_[{seen.axes.binding, seen.axes.model, seen.axes.dataset, seen.device}];
      switch (seen.judged->ruling) {
        case tasks::Ruling::kNone:
          break;
        case tasks::Ruling::kAgrees:
          ++judged.right;
          break;
        case tasks::Ruling::kDiverges:
          judged.wrong = seen.judged->where.empty() ? "diverges" : seen.judged->where;
          break;
      }
    }
  }

  // Conform needs no data set: what it says holds for all of them.
  void take_verdicts(const std::vector<analysis::StoredVerdict>& all) {
    for (const auto& [axes, questions, identity, started, verdict] : all) {
      auto& judged = conformed_[{axes.binding, axes.model, analysis::device_of(axes)}];
      switch (tasks::ruling_of(verdict.outcome)) {
        case tasks::Ruling::kNone:
          break;
        case tasks::Ruling::kAgrees:
          ++judged.right;
          break;
        case tasks::Ruling::kDiverges:
          judged.wrong = verdict.divergence ? tasks::where_in_words(*verdict.divergence)
                                            : std::string("diverges");
          break;
      }
    }
  }

  void add(const Observation& seen, Work work) {
    if (seen.has_inner_timers()) {
      return;  // they are the parts
    }
    const auto key = key_of(seen, work);
    const auto mode = seen.mode();
    auto& growing = growing_[key][{seen.axes.binding, mode}];
    growing.option.binding = seen.axes.binding;
    growing.option.mode = mode;
    const auto& summary = summaries_.at(seen.identity);
    if (!seen.is_done()) {
      growing.option.failed += seen.outcome == store::Outcome::kFailed ? 1 : 0;
      growing.why_not = fmt::format("{}: {}", store::name_of(seen.outcome), summary.reason);
      return;
    }
    const auto epochs = static_cast<double>(epochs_of(seen, work));
    all_have_epochs_.try_emplace(key, true).first->second &= epochs > 0;
    for (const double seconds : seen.seconds) {
      growing.wholes.push_back(seconds);
      growing.option.seconds.push_back(epochs > 0 ? seconds / epochs : seconds);
    }
    if (summary.peak_memory) {
      growing.memory.push_back(static_cast<double>(*summary.peak_memory));
    }
    if (!seen.axes.weights.empty()) {
      growing.option.weights.insert(seen.axes.weights);
    }
  }

  Case finished(const CaseKey& key, std::map<OptionKey, Growing>& options) {
    Case finished;
    const auto has_epochs = all_have_epochs_.find(key);
    const bool is_training = key.work == Work::kTraining;
    finished.per_epoch = is_training && has_epochs != all_have_epochs_.end() && has_epochs->second;
    for (auto& [name, growing] : options) {
      auto& option = growing.option;
      if (growing.wholes.empty()) {
        finished.unmeasured.push_back(
            {option.binding,
             option.name(),
             growing.why_not.empty() ? "no time was measured" : growing.why_not});
        continue;
      }
      option.whole = stats::median_in_place(growing.wholes);
      if (is_training && !finished.per_epoch) {
        option.seconds = growing.wholes;
      }
      auto sorted = option.seconds;
      option.median = stats::median_in_place(sorted);
      if (!growing.memory.empty()) {
        option.peak_memory = stats::median_in_place(growing.memory);
      }
      take_correctness(key, option);
      take_parts(key, option);
      finished.options.push_back(std::move(option));
    }
    std::ranges::stable_sort(finished.options, {}, &Option::median);
    return finished;
  }

  void take_correctness(const CaseKey& key, Option& option) const {
    const Testimony judged =
        found_in(judged_, {option.binding, key.model, key.condition.at("dataset"), key.device});
    const Testimony conformed = found_in(conformed_, {option.binding, key.model, key.device});
    if (!judged.wrong.empty() || !conformed.wrong.empty()) {
      option.correctness = Correctness::kDiverges;
      option.because = judged.wrong.empty() ? "conform: " + conformed.wrong : judged.wrong;
      return;
    }
    switch (key.work) {
      case Work::kInference:
        take_reproduction(key, option);
        break;
      case Work::kTraining:
        take_agreement(key, judged, conformed, option);
        break;
    }
  }

  void take_agreement(const CaseKey& key,
                      const Testimony& judged,
                      const Testimony& conformed,
                      Option& option) const {
    if (judged.right > 0) {
      option.correctness = Correctness::kReferee;
      option.because = fmt::format("{} judged, all within rounding", judged.right);
    } else if (conformed.right > 0) {
      option.correctness = Correctness::kReferee;
      option.because = "conform: all within rounding";
    } else {
      take_score(key, option);
    }
  }

  void take_reproduction(const CaseKey& key, Option& option) const {
    const auto is_of = [&](const auto& found) {
      return found.scope.framework == option.framework() && found.binding == option.language() &&
             found.device == key.device && is_in(key, found.scope);
    };
    for (const auto& cell : analysis_.cross_binding) {
      if (!is_of(cell) || cell.mode != option.mode) {
        continue;
      }
      if (cell.outcome == analysis::Reproduction::kFailed) {
        option.correctness = Correctness::kLost;
        option.because = cell.largest_difference
                             ? fmt::format("accuracy off by up to {:.4f}", *cell.largest_difference)
                             : "a trial failed";
        return;
      }
      if (cell.outcome == analysis::Reproduction::kReproduced) {
        option.correctness = Correctness::kKept;
        option.because = fmt::format("models of {}", fmt::join(option.weights, ", "));
      }
    }
    for (const auto& claim : analysis_.contradictions) {
      if (is_of(claim) && analysis::mode_of(claim.task) == option.mode && claim.kind == "flag" &&
          option.correctness == Correctness::kKept) {
        option.correctness = Correctness::kContradicted;
        option.because =
            fmt::format("flagged the same, but {} is not {}", claim.value, claim.expected);
      }
    }
  }

  void take_score(const CaseKey& key, Option& option) const {
    if (option.language() == analysis::kBaseline) {
      option.correctness = Correctness::kBaseline;
      return;
    }
    size_t family = 0;
    const analysis::ScoreTest* test = nullptr;
    for (const auto& found : analysis_.score_tests) {
      if (found.score != analysis::Score::kAccuracy ||
          found.scope.framework != option.framework() || !is_in(key, found.scope) ||
          found.scope.condition.at("device") != key.device) {
        continue;
      }
      ++family;
      if (found.a == analysis::kBaseline && found.b == option.language()) {
        test = &found;
      }
    }
    if (test == nullptr) {
      return;
    }
    option.because = fmt::format("mean test accuracy {:.4f}, {}'s {:.4f}, p = {:.2g} corrected",
                                 test->mean_b,
                                 analysis::kBaseline,
                                 test->mean_a,
                                 test->test.p_adjusted);
    if (test->test.p_adjusted <= analysis::kAlpha) {
      option.correctness = Correctness::kOther;
    } else if (test->test.smallest_p * static_cast<double>(family) <= analysis::kAlpha) {
      option.correctness = Correctness::kAccuracy;
    } else {
      option.because += ", too few samples to tell";
    }
  }

  [[nodiscard]] const std::vector<analysis::Parts>& parts_of(Work work) const {
    switch (work) {
      case Work::kInference:
        break;
      case Work::kTraining:
        return analysis_.training_parts;
    }
    return analysis_.inference_parts;
  }

  void take_parts(const CaseKey& key, Option& option) const {
    for (const auto& parts : parts_of(key.work)) {
      if (parts.scope.framework == option.framework() && parts.binding == option.language() &&
          parts.device == key.device && is_in(key, parts.scope)) {
        option.parts = parts;
      }
    }
  }

  const store::StoreReader& store_;
  std::unordered_map<std::string, store::TrialSummary> summaries_;  // by identity
  analysis::Analysis analysis_;
  std::map<JudgedKey, Testimony> judged_;
  std::map<ConformedKey, Testimony> conformed_;
  std::map<CaseKey, std::map<OptionKey, Growing>> growing_;
  std::map<CaseKey, bool> all_have_epochs_;
};

}  // namespace

std::string_view to_string(Correctness correctness) {
  return name_in(kCorrectnesses, correctness);
}

bool is_match(Correctness correctness) {
  return correctness < Correctness::kUnknown;
}

std::string_view to_string(Work work) {
  return name_in(kWorks, work);
}

std::optional<Work> work_of(trial::Task task) {
  switch (task) {
    case trial::Task::kTrain:
      return Work::kTraining;
    case trial::Task::kInferParameters:
    case trial::Task::kInferSerialization:
      return Work::kInference;
    case trial::Task::kJudge:
    case trial::Task::kConform:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string Option::name() const {
  return mode ? fmt::format("{} by {}", binding, analysis::to_string(*mode)) : binding;
}

Result<Cases> gather_evidence(const store::StoreReader& store,
                              const std::optional<store::StudyId>& study) {
  return Gatherer(store).gather(study);
}

}  // namespace crossbind::decide
