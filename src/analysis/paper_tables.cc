#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/names.h"
#include "analysis/tables.h"
#include "stats/summary.h"

namespace crossbind::analysis {
namespace {

constexpr const char* kNotMeasured = "not measured";

// A model's name, and what tells it from others of the name in this store.
class ModelNames {
 public:
  explicit ModelNames(const Analysis& analysis) : varied_(analysis.varied) {}

  [[nodiscard]] std::string of(const Scope& scope) const {
    std::string name = scope.model;
    for (const auto& condition : varied_) {
      const auto found = scope.condition.find(condition);
      if (found != scope.condition.end()) {
        name += fmt::format(", {} {}", condition, found->second.empty() ? "none" : found->second);
      }
    }
    return name;
  }

 private:
  std::vector<std::string> varied_;
};

// Cells that arrive in any order, as a table: rows and columns in the order of their first cell.
class Grid {
 public:
  void put(const std::vector<std::string>& row, const std::string& column, const Value& value) {
    const auto row_index = index_in(rows_, row);
    const auto column_index = index_in(columns_, column);
    cells_[{row_index, column_index}] = value;
  }

  [[nodiscard]] Table table(std::string name,
                            std::string title,
                            std::vector<std::string> row_titles) const {
    Table table{std::move(name), std::move(title), std::move(row_titles), {}};
    table.columns.insert(table.columns.end(), columns_.begin(), columns_.end());
    for (size_t row = 0; row < rows_.size(); ++row) {
      auto& cells = table.rows.emplace_back(rows_[row].begin(), rows_[row].end());
      for (size_t column = 0; column < columns_.size(); ++column) {
        const auto found = cells_.find({row, column});
        cells.push_back(found == cells_.end() ? Value("-") : found->second);
      }
    }
    return table;
  }

 private:
  template <typename T>
  static size_t index_in(std::vector<T>& known, const T& wanted) {
    const auto found = std::ranges::find(known, wanted);
    const auto index = static_cast<size_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(wanted);
    }
    return index;
  }

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> columns_;
  std::map<std::pair<size_t, size_t>, Value> cells_;
};

Table models_table(const Analysis& analysis) {
  Table table{"table1",
              "Table 1. Data sets and models",
              {"Dataset", "Train samples", "Test samples", "Model", "Parameters"},
              {}};
  std::set<std::vector<std::string>> rows;
  const auto add = [&](const Scope& scope) {
    const auto get = [&](const char* name) {
      const auto found = scope.condition.find(name);
      return found == scope.condition.end() ? std::string(kNotMeasured) : found->second;
    };
    rows.insert(
        {get("dataset"), get("train_samples"), get("test_samples"), scope.model, kNotMeasured});
  };
  for (const auto& found : analysis.scores) {
    add(found.scope);
  }
  if (analysis.scores.empty()) {
    for (const auto& found : analysis.inference_times) {
      add(found.scope);
    }
  }
  for (const auto& row : rows) {
    table.rows.emplace_back(row.begin(), row.end());
  }
  return table;
}

Table bindings_table(const Analysis& analysis) {
  Table table{"table2", "Table 2. Bindings", {"Framework", "Binding", "Component", "Version"}, {}};
  for (const auto& component : analysis.components) {
    table.rows.push_back(
        {component.framework, component.binding, component.name, component.version});
  }
  return table;
}

// What a binding was seen to do with a kind of model.
struct Ability {
  bool trains = false;
  bool takes_parameters = false;
  bool takes_serialized = false;
  bool tried = false;

  void add(trial::Task task, bool supported) {
    tried = true;
    switch (task) {
      case trial::Task::kTrain:
        trains |= supported;
        break;
      case trial::Task::kInferParameters:
        takes_parameters |= supported;
        break;
      case trial::Task::kInferSerialization:
        takes_serialized |= supported;
        break;
      case trial::Task::kJudge:
      case trial::Task::kConform:
        break;  // the table has no column of them
    }
  }

  [[nodiscard]] std::string interface() const {
    if (!tried) {
      return kNotMeasured;
    }
    if (trains || takes_parameters) {
      return "yes";
    }
    return takes_serialized ? "serialized only" : "no";
  }
};

struct Abilities {
  Ability all;
  std::map<Family, Ability> families;
};

Table support_table(const Analysis& analysis) {
  std::map<std::tuple<std::string, size_t, std::string>, Abilities> seen;
  for (const auto& found : analysis.support) {
    auto& [all, families] = seen[{found.framework, rank_of(found.binding), found.binding}];
    all.add(found.task, found.supported);
    families[family_of(found.model)].add(found.task, found.supported);
  }
  Table table{
      "table3",
      "Table 3. What bindings support",
      {"Framework", "Binding", "Training", "CNNs", "RNNs", "BERT", "Parameters", "Serialization"},
      {}};
  const auto word = [](bool supported) { return Value(supported ? "yes" : "no"); };
  for (auto& [key, abilities] : seen) {
    auto& [all, families] = abilities;
    table.rows.push_back({std::get<0>(key),
                          std::get<2>(key),
                          word(all.trains),
                          families[Family::kCnn].interface(),
                          families[Family::kRnn].interface(),
                          families[Family::kBert].interface(),
                          word(all.takes_parameters),
                          word(all.takes_serialized)});
  }
  return table;
}

Table dtw_grid(const Analysis& analysis, const ModelNames& names) {
  Grid grid;
  for (const auto& found : analysis.dtw) {
    if (found.method == DtwMethod::kFastDtw) {
      grid.put({names.of(found.scope)},
               fmt::format("{} {}-{}", found.scope.framework, found.a, found.b),
               fmt::format("{:.3f}/{:.3f}", found.mean, found.max));
    }
  }
  return grid.table("table4",
                    "Table 4. Mean/max DTW distances (fastdtw, radius 1) of training-accuracy "
                    "curves, paired by seed",
                    {"Model"});
}

Table score_grid(const Analysis& analysis, const ModelNames& names) {
  Grid grid;
  const auto column = [&](const Scope& scope) {
    return fmt::format("{} {}", scope.framework, names.of(scope));
  };
  for (const auto score : {Score::kAccuracy, Score::kF1, Score::kAuc}) {
    const std::string name(to_string(score));
    for (const auto& found : analysis.scores) {
      if (found.score == score) {
        grid.put(
            {name, found.binding}, column(found.scope), fmt::format("{:.1f}", found.mean * 100));
      }
    }
    for (const auto& found : analysis.score_tests) {
      const bool widest =
          std::abs(found.mean_b - found.mean_a) >= found.largest_difference * (1 - 1e-12);
      if (found.score == score && widest) {
        grid.put({name, "largest difference"},
                 column(found.scope),
                 fmt::format("{:.1f}", found.largest_difference * 100));
        grid.put({name, "p"}, column(found.scope), fmt::format("{:.2f}", found.test.p));
        grid.put({name, "effect"},
                 column(found.scope),
                 std::string(found.test.p < kAlpha ? to_string(found.test.effect) : "-"));
      }
    }
  }
  return grid.table("table5",
                    "Table 5. Mean scores of trained models in percent; p and effect of the two "
                    "bindings that are furthest apart",
                    {"Score", "Binding"});
}

Table parts_grid(const std::vector<Parts>& all,
                 const ModelNames& names,
                 std::string name,
                 std::string title) {
  Table table{std::move(name),
              std::move(title),
              {"Framework", "Model", "Binding", "Device", "Load", "Forward", "Backward", "Total"},
              {}};
  for (const auto& parts : all) {
    table.rows.push_back({parts.scope.framework,
                          names.of(parts.scope),
                          parts.binding,
                          parts.device,
                          parts.load,
                          parts.forward,
                          parts.backward ? Value(*parts.backward) : Value(),
                          parts.total});
  }
  return table;
}

Table curves_figure(const Analysis& analysis, const ModelNames& names) {
  Table table{"figure3",
              "Figure 3. Mean training-accuracy curves",
              {"Framework", "Model", "Binding", "Epoch", "Accuracy"},
              {}};
  for (const auto& curve : analysis.mean_curves) {
    for (size_t epoch = 0; epoch < curve.train_accuracy.size(); ++epoch) {
      table.rows.push_back({curve.scope.framework,
                            names.of(curve.scope),
                            curve.binding,
                            static_cast<int64_t>(epoch + 1),
                            curve.train_accuracy[epoch]});
    }
  }
  return table;
}

Table reproduction_figure(const Analysis& analysis, const ModelNames& names) {
  Grid grid;
  for (const auto& found : analysis.cross_binding) {
    grid.put(
        {found.scope.framework, found.binding, std::string(to_string(found.mode)), found.device},
        names.of(found.scope),
        std::string(to_string(found.outcome)));
  }
  return grid.table("figure5",
                    "Figure 5. Accuracy of trained models in other bindings",
                    {"Framework", "Binding", "Mode", "Device"});
}

Table times_figure(const std::vector<Times>& all,
                   const ModelNames& names,
                   std::string name,
                   std::string title) {
  Table table{std::move(name),
              std::move(title),
              {"Framework", "Model", "Device", "Binding", "n", "Min", "Q1", "Median", "Q3", "Max"},
              {}};
  for (const auto& times : all) {
    std::vector<double> sorted = times.seconds;
    std::ranges::sort(sorted);
    std::vector<Value> row = {times.scope.framework,
                              names.of(times.scope),
                              times.device,
                              times.binding,
                              static_cast<int64_t>(sorted.size())};
    for (const double p : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      row.emplace_back(stats::quantile_of_sorted(sorted, p));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<Table> paper_tables(const Analysis& analysis) {
  const ModelNames names(analysis);
  return {
      models_table(analysis),
      bindings_table(analysis),
      support_table(analysis),
      dtw_grid(analysis, names),
      score_grid(analysis, names),
      parts_grid(analysis.training_parts,
                 names,
                 "table6",
                 "Table 6. Time of the parts of training in seconds"),
      parts_grid(analysis.inference_parts,
                 names,
                 "table7",
                 "Table 7. Time of the parts of inference in seconds"),
      curves_figure(analysis, names),
      reproduction_figure(analysis, names),
      times_figure(analysis.training_times, names, "figure6", "Figure 6. Training time in seconds"),
      times_figure(
          analysis.inference_times, names, "figure7", "Figure 7. Inference time in seconds")};
}

}  // namespace crossbind::analysis
