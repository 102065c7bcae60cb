#include "serve/trial_figures.h"

#include <algorithm>
#include <map>

#include "report/spread.h"

namespace crossbind::serve {
namespace {

using analysis::Value;

constexpr size_t kMostMetrics = 24;

void add_curve(const store::TrialRecord& trial,
               const char* name,
               std::optional<double> store::EpochPoint::*accuracy,
               report::Section& section) {
  auto& rows = section.tables.front().table.rows;
  const size_t first = rows.size();
  for (const auto& point : trial.curve) {
    if (const auto value = point.*accuracy) {
      rows.push_back(
          {trial.axes.binding, int64_t{point.epoch}, int64_t{1}, *value, *value, *value});
    }
  }
  if (rows.size() > first) {
    section.figures.push_back({fmt::format("curve-{}", section.figures.size() + 1),
                               fmt::format("{} by epoch", name),
                               report::FigureKind::kCurve,
                               name,
                               "curves",
                               first,
                               rows.size() - first});
  }
}

report::Section curves_of(const store::TrialRecord& trial) {
  report::Section section;
  section.tables.push_back(
      {{"curves", "Accuracy by epoch", {"binding", "epoch", "n", "low", "mean", "high"}, {}}, {}});
  add_curve(trial, "training accuracy", &store::EpochPoint::train_accuracy, section);
  add_curve(trial, "test accuracy", &store::EpochPoint::test_accuracy, section);
  return section;
}

report::Section samples_of(const store::TrialRecord& trial) {
  std::map<std::string, std::vector<double>> metrics;
  for (const auto& series : trial.series) {
    auto& all = metrics[series.metric];
    all.insert(all.end(), series.values.begin(), series.values.end());
  }
  report::Section section;
  report::DataTable data{
      {"samples", "What was measured", {"binding", "n", "min", "q1", "median", "q3", "max"}, {}},
      {}};
  for (auto& [metric, values] : metrics) {
    auto spread = report::spread_of(std::move(values));
    data.table.rows.push_back({metric,
                               static_cast<int64_t>(spread.n),
                               spread.min,
                               spread.q1,
                               spread.median,
                               spread.q3,
                               spread.max});
    data.dots.push_back(std::move(spread.dots));
    const size_t row = data.dots.size() - 1;
    if (row < kMostMetrics) {
      section.figures.push_back({fmt::format("samples-{}", row + 1),
                                 metric,
                                 report::FigureKind::kSpread,
                                 metric,
                                 "samples",
                                 row,
                                 1});
    }
  }
  section.tables.push_back(std::move(data));
  return section;
}

}  // namespace

report::Document figures_of(const store::TrialRecord& trial) {
  report::Document document;
  document.bindings = {trial.axes.binding};
  document.sections = {curves_of(trial), samples_of(trial)};
  return document;
}

}  // namespace crossbind::serve
