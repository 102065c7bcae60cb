#include "analysis/reproduction.h"

#include <algorithm>
#include <cmath>

#include "analysis/grouped.h"

namespace crossbind::analysis {
namespace {

// Accuracies are counts over at most some 10^5 samples, some of them rounded to float32.
constexpr double kSame = 1e-6;

constexpr std::string_view kSupplied = "supplied";  // weights of the user's

bool are_same(double a, double b) {
  return std::abs(a - b) <= kSame;
}

// Of the model that a trial is about; an inference may have several.
uint32_t seed_of(const Observation& seen) {
  switch (seen.task) {
    case trial::Task::kTrain:
    case trial::Task::kJudge:
    case trial::Task::kConform:
      return seen.axes.seed;
    case trial::Task::kInferParameters:
    case trial::Task::kInferSerialization:
      break;
  }
  return 0;
}

struct TrainedTo {
  std::string device;
  std::optional<double> test;
  std::optional<double> train;
};

// What models were trained to, by whom: binding, model, data set and seed.
class TrainedModels {
 public:
  explicit TrainedModels(const Observations& observations) {
    for (const auto& seen : observations) {
      if (seen.is_training() && seen.is_done()) {
        models_[key_of(seen.axes, seen.axes.binding, seen.axes.seed)].push_back(
            {seen.device, seen.final_test_accuracy, seen.final_train_accuracy});
      }
    }
  }

  // The accuracy of the model that an inference loads. A training of the same device comes first;
  // of several loaders and variants, all of which may have fed it, the one that is nearest to what
  // was seen.
  [[nodiscard]] std::optional<double> accuracy(const Observation& inference,
                                               uint32_t seed,
                                               std::optional<double> TrainedTo::*set,
                                               double seen) const {
    const auto found = models_.find(key_of(inference.axes, inference.axes.weights, seed));
    if (found == models_.end()) {
      return std::nullopt;
    }
    std::optional<double> nearest;
    bool of_device = false;
    for (const auto& trained : found->second) {
      const auto& value = trained.*set;
      const bool matches = trained.device == inference.device;
      if (!value || (of_device && !matches)) {
        continue;
      }
      if (!nearest || (matches && !of_device) ||
          std::abs(*value - seen) < std::abs(*nearest - seen)) {
        nearest = value;
      }
      of_device = of_device || matches;
    }
    return nearest;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, uint32_t>;

  static Key key_of(const store::Axes& axes, const std::string& binding, uint32_t seed) {
    return {binding, axes.model, axes.dataset, seed};
  }

  std::map<Key, std::vector<TrainedTo>> models_;
};

// What the baseline got from the same weights on the same device, for weights that nobody here
// trained.
class BaselineInferences {
 public:
  explicit BaselineInferences(const Observations& observations) {
    for (const auto& seen : observations) {
      if (seen.is_inference() && seen.is_done() && seen.binding == kBaseline &&
          seen.test.accuracy.size() == 1) {
        accuracies_.try_emplace({*seen.scope, seen.device, seen.axes.seed}, seen.test.accuracy[0]);
      }
    }
  }

  [[nodiscard]] std::optional<double> accuracy(const Observation& inference) const {
    const auto found = accuracies_.find({*inference.scope, inference.device, inference.axes.seed});
    return found == accuracies_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::tuple<Scope, std::string, uint32_t>, double> accuracies_;
};

class CrossBindings {
 public:
  CrossBindings(const Observations& observations, Analysis& into)
      : trained_(observations),
        baseline_(observations),
        into_(into) {}

  void add(const Observation& seen) {
    if (seen.is_inference()) {
      add_to_cell(seen);
    }
    note_contradictions(seen);
  }

  void finish() {
    for (auto& [key, cell] : cells_) {
      const auto& [scope, device, binding, mode] = key;
      const bool unsupported = cell.unsupported && !cell.judged;
      if (cell.judged || unsupported) {
        into_.cross_binding.push_back({scope,
                                       binding.name,
                                       device,
                                       mode,
                                       unsupported   ? Reproduction::kUnsupported
                                       : cell.failed ? Reproduction::kFailed
                                                     : Reproduction::kReproduced,
                                       cell.largest_difference,
                                       cell.differing,
                                       cell.smallest_margin,
                                       cell.largest_margin,
                                       cell.largest_output_difference});
      }
    }
  }

 private:
  struct Cell {
    bool judged = false;
    bool failed = false;
    bool unsupported = false;
    std::optional<double> largest_difference;
    std::optional<double> differing;
    std::optional<double> smallest_margin;
    std::optional<double> largest_margin;
    std::optional<double> largest_output_difference;
  };

  static void add_answers(const tasks::Answers& answers, Cell& cell) {
    for (const double differing : answers.differing) {
      cell.differing = cell.differing.value_or(0) + differing;
      cell.failed |= differing > 0;
      cell.judged = true;
    }
    for (const double margin : answers.margins) {
      cell.smallest_margin = std::min(cell.smallest_margin.value_or(margin), margin);
      cell.largest_margin = std::max(cell.largest_margin.value_or(margin), margin);
    }
    for (const double difference : answers.output_difference) {
      cell.largest_output_difference =
          std::max(cell.largest_output_difference.value_or(0), difference);
    }
  }

  void add_to_cell(const Observation& seen) {
    auto& cell = cells_[{*seen.scope, seen.device, BindingKey(seen.binding), *seen.mode()}];
    if (!seen.is_done()) {
      const bool failed = seen.outcome == store::Outcome::kFailed;
      cell.failed |= failed;
      cell.judged |= failed;
      cell.unsupported |= !failed;
      return;
    }
    const bool has_verdicts = !seen.test.same.empty();
    for (const double same : seen.test.same) {
      cell.failed |= same == 0;
      cell.judged = true;
    }
    for (size_t i = 0; i < seen.test.accuracy.size(); ++i) {
      const double accuracy = seen.test.accuracy[i];
      const auto expected = expected_of(seen, i);
      if (!expected) {
        continue;
      }
      const double difference = std::abs(accuracy - *expected);
      cell.largest_difference = std::max(cell.largest_difference.value_or(0), difference);
      cell.failed |= !has_verdicts && difference > kSame;
      cell.judged = true;
    }
    add_answers(seen.answers, cell);
  }

  [[nodiscard]] std::optional<double> expected_of(const Observation& seen, size_t model) const {
    // What it was compared with itself comes first, but for published measurements, whose word
    // is not taken for it.
    if (seen.test.same.empty() && model < seen.test.expected.size()) {
      return seen.test.expected[model];
    }
    const auto trained = trained_to(seen, model, &TrainedTo::test, seen.test.accuracy[model]);
    const bool is_known = seen.axes.weights.empty() || seen.axes.weights == kSupplied;
    return trained || !is_known ? trained : baseline_.accuracy(seen);
  }

  [[nodiscard]] std::optional<double> trained_to(const Observation& seen,
                                                 size_t model,
                                                 std::optional<double> TrainedTo::*set,
                                                 double near) const {
    return model < seen.seeds.size() ? trained_.accuracy(seen, seen.seeds[model], set, near)
                                     : std::nullopt;
  }

  void note_contradictions(const Observation& seen) {
    for (const auto& [kind, claim, value, expected] : seen.contradictions) {
      auto& found = add(seen, seed_of(seen), kind);
      found.claim = claim;
      found.value = value;
      found.expected = expected;
    }
    note_flags(seen, seen.test, &TrainedTo::test, "");
    note_flags(seen, seen.train, &TrainedTo::train, "train_");
  }

  void note_flags(const Observation& seen,
                  const tasks::Passes& scored,
                  std::optional<double> TrainedTo::*set,
                  const std::string& prefix) {
    for (size_t i = 0; i < std::min(scored.same.size(), scored.accuracy.size()); ++i) {
      const auto trained = trained_to(seen, i, set, scored.accuracy[i]);
      const auto own =
          i < scored.expected.size() ? std::optional(scored.expected[i]) : std::nullopt;
      const auto expected = own ? own : trained;
      const uint32_t seed = i < seen.seeds.size() ? seen.seeds[i] : 0;
      if (expected && are_same(scored.accuracy[i], *expected) != (scored.same[i] != 0)) {
        auto& found = add(seen, seed, prefix + "flag");
        found.claim = scored.same[i] != 0 ? "true" : "false";
        found.value = scored.accuracy[i];
        found.expected = *expected;
      }
      if (own && trained && !are_same(*own, *trained)) {
        auto& found = add(seen, seed, prefix + "expected");
        found.claim = fmt::format("{}", *own);
        found.value = *own;
        found.expected = *trained;
      }
    }
  }

  FoundContradiction& add(const Observation& seen, uint32_t seed, const std::string& kind) {
    auto& found = into_.contradictions.emplace_back();
    found.scope = *seen.scope;
    found.binding = seen.binding;
    found.device = seen.device;
    found.task = seen.task;
    found.seed = seed;
    found.kind = kind;
    return found;
  }

  TrainedModels trained_;
  BaselineInferences baseline_;
  Analysis& into_;
  std::map<std::tuple<Scope, std::string, BindingKey, Mode>, Cell> cells_;
};

}  // namespace

void judge_reproduction(const Observations& observations, Analysis& into) {
  CrossBindings cells(observations, into);
  for (const auto& seen : observations) {
    cells.add(seen);
  }
  cells.finish();
}

}  // namespace crossbind::analysis
