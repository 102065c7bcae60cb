#include <algorithm>
#include <iterator>

#include "analysis/names.h"
#include "analysis/tables.h"

namespace crossbind::analysis {
namespace {

// A column: its name and what a finding has in it.
template <typename Finding>
struct Column {
  std::string name;
  Value (*value)(const Finding&);
};

int64_t count(size_t number) {
  return static_cast<int64_t>(number);
}

Value text(std::string_view words) {
  return std::string(words);
}

Value optional_number(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

class Maker {
 public:
  explicit Maker(const Analysis& analysis) : varied_(analysis.varied) {}

  template <typename Finding>
  Table make(std::string name,
             std::string title,
             const std::vector<Finding>& findings,
             std::initializer_list<Column<Finding>> columns) const {
    Table table{std::move(name), std::move(title), {"framework", "model"}, {}};
    std::vector<std::string> conditions;
    std::ranges::copy_if(varied_, std::back_inserter(conditions), [&](const std::string& varied) {
      return std::ranges::find(columns, varied, &Column<Finding>::name) == columns.end();
    });
    table.columns.insert(table.columns.end(), conditions.begin(), conditions.end());
    for (const auto& column : columns) {
      table.columns.push_back(column.name);
    }
    table.rows.reserve(findings.size());
    for (const auto& finding : findings) {
      auto& row = table.rows.emplace_back(first_cells(finding.scope, conditions));
      for (const auto& column : columns) {
        row.push_back(column.value(finding));
      }
    }
    return table;
  }

 private:
  static std::vector<Value> first_cells(const Scope& scope,
                                        const std::vector<std::string>& conditions) {
    std::vector<Value> cells = {scope.framework, scope.model};
    for (const auto& name : conditions) {
      const auto found = scope.condition.find(name);
      cells.push_back(found == scope.condition.end() ? Value() : Value(found->second));
    }
    return cells;
  }

  std::vector<std::string> varied_;
};

Table score_table(const Analysis& analysis, Score score, std::string name, std::string title) {
  std::vector<BindingScore> scores;
  for (const auto& found : analysis.scores) {
    if (found.score == score) {
      scores.push_back(found);
    }
  }
  using S = BindingScore;
  return Maker(analysis).make<S>(std::move(name),
                                 std::move(title),
                                 scores,
                                 {{"binding", [](const S& s) { return Value(s.binding); }},
                                  {"n", [](const S& s) { return Value(count(s.values.size())); }},
                                  {"mean", [](const S& s) { return Value(s.mean); }}});
}

Table dtw_table(const Analysis& analysis) {
  using D = CurveDistance;
  return Maker(analysis).make<D>("dtw",
                                 "Distance of training-accuracy curves",
                                 analysis.dtw,
                                 {{"a", [](const D& d) { return Value(d.a); }},
                                  {"b", [](const D& d) { return Value(d.b); }},
                                  {"method", [](const D& d) { return text(to_string(d.method)); }},
                                  {"n", [](const D& d) { return Value(count(d.n)); }},
                                  {"mean", [](const D& d) { return Value(d.mean); }},
                                  {"max", [](const D& d) { return Value(d.max); }},
                                  {"noise", [](const D& d) { return optional_number(d.noise); }}});
}

Table score_test_table(const Analysis& analysis) {
  using T = ScoreTest;
  return Maker(analysis).make<T>(
      "accuracy_tests",
      "Scores of trained models, binding against binding",
      analysis.score_tests,
      {{"metric", [](const T& t) { return text(to_string(t.score)); }},
       {"a", [](const T& t) { return Value(t.a); }},
       {"b", [](const T& t) { return Value(t.b); }},
       {"n_a", [](const T& t) { return Value(count(t.n_a)); }},
       {"n_b", [](const T& t) { return Value(count(t.n_b)); }},
       {"mean_a", [](const T& t) { return Value(t.mean_a); }},
       {"mean_b", [](const T& t) { return Value(t.mean_b); }},
       {"difference", [](const T& t) { return Value(t.mean_b - t.mean_a); }},
       {"largest_difference", [](const T& t) { return Value(t.largest_difference); }},
       {"noise", [](const T& t) { return optional_number(t.noise); }},
       {"above_noise", [](const T& t) { return Value(t.is_above_noise()); }},
       {"u", [](const T& t) { return Value(t.test.u); }},
       {"p", [](const T& t) { return Value(t.test.p); }},
       {"significant", [](const T& t) { return Value(t.test.p <= kAlpha); }},
       {"p_adjusted", [](const T& t) { return Value(t.test.p_adjusted); }},
       {"significant_adjusted", [](const T& t) { return Value(t.test.p_adjusted <= kAlpha); }},
       {"smallest_p", [](const T& t) { return Value(t.test.smallest_p); }},
       {"cliffs_delta", [](const T& t) { return Value(t.test.cliffs_delta); }},
       {"effect", [](const T& t) { return text(to_string(t.test.effect)); }}});
}

// Its columns call the baseline "reference", as files that were made of them do.
Table time_table(const Analysis& analysis,
                 std::string name,
                 std::string title,
                 const std::vector<TimeTest>& tests) {
  using T = TimeTest;
  return Maker(analysis).make<T>(
      std::move(name),
      std::move(title),
      tests,
      {{"device", [](const T& t) { return Value(t.device); }},
       {"reference", [](const T&) { return text(kBaseline); }},
       {"binding", [](const T& t) { return Value(t.binding); }},
       {"n_reference", [](const T& t) { return Value(count(t.n_baseline)); }},
       {"n", [](const T& t) { return Value(count(t.n)); }},
       {"median_reference", [](const T& t) { return Value(t.median_baseline); }},
       {"median", [](const T& t) { return Value(t.median); }},
       {"noise", [](const T& t) { return optional_number(t.noise); }},
       {"above_noise", [](const T& t) { return Value(t.is_above_noise()); }},
       {"u", [](const T& t) { return Value(t.test.u); }},
       {"p", [](const T& t) { return Value(t.test.p); }},
       {"p_adjusted", [](const T& t) { return Value(t.test.p_adjusted); }},
       {"significant", [](const T& t) { return Value(t.test.p_adjusted <= kAlpha); }},
       {"smallest_p", [](const T& t) { return Value(t.test.smallest_p); }},
       {"cliffs_delta", [](const T& t) { return Value(t.test.cliffs_delta); }},
       {"effect", [](const T& t) { return text(to_string(t.test.effect)); }}});
}

Table cross_binding_table(const Analysis& analysis) {
  using C = CrossBinding;
  return Maker(analysis).make<C>(
      "cross_binding",
      "Accuracy of trained models in other bindings",
      analysis.cross_binding,
      {{"binding", [](const C& c) { return Value(c.binding); }},
       {"device", [](const C& c) { return Value(c.device); }},
       {"mode", [](const C& c) { return text(to_string(c.mode)); }},
       {"outcome", [](const C& c) { return text(to_string(c.outcome)); }},
       {"largest_difference", [](const C& c) { return optional_number(c.largest_difference); }},
       {"differing", [](const C& c) { return optional_number(c.differing); }},
       {"smallest_margin", [](const C& c) { return optional_number(c.smallest_margin); }},
       {"largest_margin", [](const C& c) { return optional_number(c.largest_margin); }},
       {"largest_output_difference",
        [](const C& c) { return optional_number(c.largest_output_difference); }}});
}

Table contradiction_table(const Analysis& analysis) {
  using C = FoundContradiction;
  return Maker(analysis).make<C>(
      "contradictions",
      "What is claimed against the numbers",
      analysis.contradictions,
      {{"binding", [](const C& c) { return Value(c.binding); }},
       {"device", [](const C& c) { return Value(c.device); }},
       {"mode", [](const C& c) { return text(where_of(c.task)); }},
       {"seed", [](const C& c) { return c.seed == 0 ? Value() : Value(int64_t{c.seed}); }},
       {"kind", [](const C& c) { return Value(c.kind); }},
       {"claim", [](const C& c) { return Value(c.claim); }},
       {"value", [](const C& c) { return Value(c.value); }},
       {"expected", [](const C& c) { return Value(c.expected); }}});
}

Table parts_table(const Analysis& analysis,
                  std::string name,
                  std::string title,
                  const std::vector<Parts>& parts) {
  using P = Parts;
  return Maker(analysis).make<P>(
      std::move(name),
      std::move(title),
      parts,
      {{"binding", [](const P& p) { return Value(p.binding); }},
       {"device", [](const P& p) { return Value(p.device); }},
       {"n", [](const P& p) { return Value(count(p.n)); }},
       {"load", [](const P& p) { return Value(p.load); }},
       {"forward", [](const P& p) { return Value(p.forward); }},
       {"backward", [](const P& p) { return optional_number(p.backward); }},
       {"total", [](const P& p) { return Value(p.total); }}});
}

}  // namespace

std::vector<Table> finding_tables(const Analysis& analysis) {
  return {
      dtw_table(analysis),
      score_table(analysis, Score::kAccuracy, "test_accuracy", "Test accuracy of trained models"),
      score_table(analysis, Score::kF1, "test_f1", "F1 of trained models on the test set"),
      score_table(analysis, Score::kAuc, "test_auc", "AUC-ROC of trained models on the test set"),
      score_test_table(analysis),
      time_table(analysis,
                 "training_time",
                 "Training time in seconds, against Python",
                 analysis.training_time_tests),
      time_table(analysis,
                 "inference_time",
                 "Inference time in seconds, against Python",
                 analysis.inference_time_tests),
      cross_binding_table(analysis),
      contradiction_table(analysis),
      parts_table(
          analysis, "training_parts", "Parts of training in seconds", analysis.training_parts),
      parts_table(
          analysis, "inference_parts", "Parts of inference in seconds", analysis.inference_parts)};
}

}  // namespace crossbind::analysis
