#include "claims/analysis_cells.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/names.h"
#include "tasks/rules.h"

namespace crossbind::claims {
namespace {

using analysis::Analysis;
using analysis::Scope;

constexpr double kPercent = 100;

class CellsOfAnalysis {
 public:
  [[nodiscard]] Status add_curves(const Analysis& analysis) {
    for (const auto& found : analysis.dtw) {
      const std::string name = found.method == analysis::DtwMethod::kExact ? "dtw_exact" : "dtw";
      const Labels pair = {{std::string(kPair), fmt::format("{}-{}", found.a, found.b)}};
      CB_TRY(add(name + ".mean", found.scope, pair, {found.mean}));
      CB_TRY(add(name + ".max", found.scope, pair, {found.max}));
    }
    return {};
  }

  [[nodiscard]] Status add_scores(const Analysis& analysis) {
    for (const auto& found : analysis.scores) {
      std::vector<double> percent = found.values;
      std::ranges::for_each(percent, [](double& value) { value *= kPercent; });
      CB_TRY(add(std::string(to_string(found.score)),
                 found.scope,
                 {{"binding", found.binding}},
                 std::move(percent)));
    }
    std::set<std::pair<analysis::Score, Scope>> seen;
    for (const auto& found : analysis.score_tests) {
      if (seen.emplace(found.score, found.scope).second) {  // every pair says the same
        CB_TRY(add(fmt::format("{}.largest_difference", to_string(found.score)),
                   found.scope,
                   {},
                   {found.largest_difference * kPercent}));
      }
    }
    return {};
  }

  [[nodiscard]] Status add_times(const std::string& quantity,
                                 const std::vector<analysis::Times>& times) {
    for (const auto& found : times) {
      CB_TRY(add(quantity,
                 found.scope,
                 {{"binding", found.binding}, {"device", found.device}},
                 found.seconds));
    }
    return {};
  }

  [[nodiscard]] Status add_parts(const std::string& task,
                                 const std::vector<analysis::Parts>& parts) {
    for (const auto& found : parts) {
      const Labels labels = {{"binding", found.binding}, {"device", found.device}};
      CB_TRY(add(task + ".load", found.scope, labels, {found.load}));
      CB_TRY(add(task + ".forward", found.scope, labels, {found.forward}));
      if (found.backward) {
        CB_TRY(add(task + ".backward", found.scope, labels, {*found.backward}));
      }
      CB_TRY(add(task + ".total", found.scope, labels, {found.total}));
    }
    return {};
  }

  [[nodiscard]] Status add_outcomes(const Analysis& analysis) {
    for (const auto& found : analysis.cross_binding) {
      const Labels labels = {{"binding", found.binding},
                             {"device", found.device},
                             {"mode", std::string(to_string(found.mode))}};
      CB_TRY(add_word("outcome", found.scope, labels, std::string(to_string(found.outcome))));
      if (found.largest_difference) {
        CB_TRY(add("accuracy_change", found.scope, labels, {*found.largest_difference * kPercent}));
      }
    }
    return {};
  }

  // A feature is there when one trial that needs it is supported. Which kinds of layers there are
  // cannot be seen in a binding that builds no model at all.
  [[nodiscard]] Status add_support(const Analysis& analysis) {
    std::set<std::pair<std::string, std::string>> builders;
    for (const auto& found : analysis.support) {
      if (found.supported && builds_layers(found)) {
        builders.emplace(found.framework, found.binding);
      }
    }
    std::map<std::array<std::string, 3>, bool> features;
    for (const auto& found : analysis.support) {
      features[{found.framework, found.binding, feature_of(found.task)}] |= found.supported;
      const std::string layers = feature_of(analysis::family_of(found.model));
      if (!layers.empty() && builds_layers(found) &&
          builders.contains({found.framework, found.binding})) {
        features[{found.framework, found.binding, layers}] |= found.supported;
      }
    }
    for (const auto& [key, supported] : features) {
      CB_TRY(cells_.add({{{std::string(kQuantity), "support"},
                          {"framework", key[0]},
                          {"binding", key[1]},
                          {"feature", key[2]}},
                         {},
                         {},
                         supported ? "yes" : "no",
                         {}}));
    }
    return {};
  }

  [[nodiscard]] Cells take() && { return std::move(cells_); }

 private:
  // Layers are built to train a model or to load its parameters.
  static bool builds_layers(const analysis::Support& found) {
    return !tasks::rules_of(found.task).takes_file;
  }

  static std::string feature_of(trial::Task task) {
    switch (task) {
      case trial::Task::kTrain:
        return "training";
      case trial::Task::kInferSerialization:
        return "serialization";
      case trial::Task::kInferParameters:
      case trial::Task::kJudge:  // its steps start from parameters that are given
      case trial::Task::kConform:
        return "parameters";
    }
    return {};
  }

  // Empty for models of no family.
  static std::string feature_of(analysis::Family family) {
    switch (family) {
      case analysis::Family::kCnn:
        return "cnn";
      case analysis::Family::kRnn:
        return "rnn";
      case analysis::Family::kBert:
        return "bert";
      case analysis::Family::kOther:
        break;
    }
    return {};
  }

  static Cell cell(const std::string& quantity, const Scope& scope, const Labels& labels) {
    Cell cell;
    cell.labels = merged({{std::string(kQuantity), quantity},
                          {"framework", scope.framework},
                          {"model", scope.model}},
                         labels);
    for (const auto& [name, value] : scope.condition) {
      if (!cell.labels.contains(name)) {
        cell.condition.emplace(name, value);
      }
    }
    return cell;
  }

  [[nodiscard]] Status add(const std::string& quantity,
                           const Scope& scope,
                           const Labels& labels,
                           std::vector<double> samples) {
    Cell made = cell(quantity, scope, labels);
    made.samples = std::move(samples);
    return cells_.add(std::move(made));
  }

  [[nodiscard]] Status add_word(const std::string& quantity,
                                const Scope& scope,
                                const Labels& labels,
                                std::string word) {
    Cell made = cell(quantity, scope, labels);
    made.word = std::move(word);
    return cells_.add(std::move(made));
  }

  Cells cells_;
};

}  // namespace

Result<Cells> cells_of(const Analysis& analysis) {
  CellsOfAnalysis cells;
  CB_TRY(cells.add_curves(analysis));
  CB_TRY(cells.add_scores(analysis));
  CB_TRY(cells.add_times("training_time", analysis.training_times));
  CB_TRY(cells.add_times("inference_time", analysis.inference_times));
  CB_TRY(cells.add_parts("train", analysis.training_parts));
  CB_TRY(cells.add_parts("infer", analysis.inference_parts));
  CB_TRY(cells.add_outcomes(analysis));
  CB_TRY(cells.add_support(analysis));
  return std::move(cells).take();
}

}  // namespace crossbind::claims
