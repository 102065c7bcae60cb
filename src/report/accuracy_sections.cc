// Sections on whether bindings agree: the matrix, curves, their distances, models in other
// bindings.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "analysis/names.h"
#include "report/sections.h"
#include "report/times.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using analysis::Value;
using trial::Task;

std::string command_for(const std::vector<Task>& tasks) {
  return "crossbind run STUDY.toml with " + tasks_of_study(tasks);
}

void add_points(const Band& band,
                const char* metric,
                const std::vector<BandPoint>& points,
                std::vector<std::vector<Value>>& rows) {
  for (const auto& point : points) {
    auto row = group_cells(band.group);
    row.emplace_back(std::string(metric));
    row.emplace_back(band.binding);
    row.emplace_back(int64_t{point.epoch});
    row.emplace_back(static_cast<int64_t>(band.n));
    row.emplace_back(point.low);
    row.emplace_back(point.mean);
    row.emplace_back(point.high);
    rows.push_back(std::move(row));
  }
}

}  // namespace

Section matrix_section(const Report& report) {
  Section section;
  section.id = "matrix";
  section.title = "Does it compute the same?";
  section.short_title = "Agreement";
  section.paragraphs.emplace_back(
      "The referee takes the first steps of a training apart and computes every layer, gradient "
      "and update again in float64. \"agrees\": every step is within its bounds and trained "
      "parameters are bit for bit those of the framework's Python. \"rounding\": within its "
      "bounds. \"convention\": within them by a form of its own that the binding declares, such "
      "as where Adam adds its epsilon. \"diverges\": beyond them. A cell leads to its reasons.");
  Matrix matrix{
      "verdicts", "Verdict of each binding on each model", report.bindings, report.models, {}};
  size_t number = 0;
  for (const auto& graded : report.graded) {
    const std::string word(name_in(kGrades, graded.grade));
    if (number % report.models.size() == 0) {
      matrix.cells.emplace_back();
    }
    Why why{fmt::format("why-{}", ++number),
            fmt::format("{} on {}", graded.binding, graded.model),
            word,
            graded.why};
    matrix.cells.back().push_back({word, why.id});
    section.whys.push_back(std::move(why));
  }
  section.matrices.push_back(std::move(matrix));
  const bool none_judged =
      std::ranges::none_of(report.graded, [](const Graded& graded) { return graded.judged > 0; });
  if (none_judged) {
    section.missing = "No training step was judged by the referee.";
    section.command = command_for({Task::kJudge});
  }
  return section;
}

Section curves_section(const Report& report) {
  Section section;
  section.id = "curves";
  section.title = "Accuracy, epoch by epoch";
  section.short_title = "Accuracy";
  if (report.bands.empty()) {
    section.missing = "No training noted its accuracy.";
    section.command = command_for({Task::kTrain});
    return section;
  }
  section.paragraphs.emplace_back(
      "Lines are means over seeds and repeats, bands reach from the lowest to the highest of them. "
      "Lines that cannot be told apart are bindings that learn alike.");
  DataTable data{{"curves", "Accuracy by epoch", group_columns(report.varied), {}}, {}};
  for (const auto* column : {"metric", "binding", "epoch", "n", "low", "mean", "high"}) {
    data.table.columns.emplace_back(column);
  }
  // A figure a framework and metric: so many lines can be told apart.
  std::map<std::tuple<Group, std::string, std::string>, std::vector<std::vector<Value>>> figures;
  for (const auto& band : report.bands) {
    const std::string framework = trial::BindingName(band.binding).framework();
    add_points(band, "test", band.test, figures[{band.group, framework, "test accuracy"}]);
    add_points(band, "training", band.train, figures[{band.group, framework, "training accuracy"}]);
  }
  size_t number = 0;
  for (auto& [key, rows] : figures) {
    const auto& [group, framework, metric] = key;
    if (rows.empty()) {
      continue;
    }
    section.figures.push_back(
        {fmt::format("curves-{}", ++number),
         fmt::format("{}: {}, {}", framework, title_of(group, report.varied), metric),
         FigureKind::kCurve,
         metric,
         "curves",
         data.table.rows.size(),
         rows.size()});
    std::ranges::move(rows, std::back_inserter(data.table.rows));
  }
  section.tables.push_back(std::move(data));
  return section;
}

Section dtw_section(const Report& report) {
  Section section;
  section.id = "dtw";
  section.title = "How far curves are apart";
  section.short_title = "Distances";
  DataTable data{{"dtw", "Distance of training-accuracy curves", {"framework"}, {}}, {}};
  auto& columns = data.table.columns;
  const auto more = group_columns(report.varied);
  columns.insert(columns.end(), more.begin(), more.end());
  for (const auto* column : {"a", "b", "n", "mean", "max", "noise"}) {
    columns.emplace_back(column);
  }
  std::vector<Group> groups;
  for (const auto& distance : report.analysis.dtw) {
    if (distance.method != analysis::DtwMethod::kExact) {
      continue;
    }
    const auto device = distance.scope.condition.find("device");
    auto group = group_of(distance.scope,
                          device == distance.scope.condition.end() ? "" : device->second,
                          report.varied);
    std::vector<Value> row = {distance.scope.framework};
    std::ranges::move(group_cells(group), std::back_inserter(row));
    row.emplace_back(distance.a);
    row.emplace_back(distance.b);
    row.emplace_back(static_cast<int64_t>(distance.n));
    row.emplace_back(distance.mean);
    row.emplace_back(distance.max);
    row.push_back(distance.noise ? Value(*distance.noise) : Value());
    data.table.rows.push_back(std::move(row));
    group.model = fmt::format("{}: {}", distance.scope.framework, group.model);
    groups.push_back(std::move(group));
  }
  if (groups.empty()) {
    section.missing = "No two bindings of a framework trained the same model with the same seed.";
    section.command = command_for({Task::kTrain});
    return section;
  }
  section.paragraphs.emplace_back(
      "Dynamic time warping of training-accuracy curves of the same seed, over the length of a "
      "curve: 0 means the same curve, 0.01 a percentage point all along. Noise is the mean "
      "distance "
      "of two trainings of one binding, with other seeds or repeated: what is below it tells no "
      "bindings apart.");
  section.tables.push_back(std::move(data));
  Figure like;
  like.id = "dtw";
  like.table = "dtw";
  like.kind = FigureKind::kHeat;
  like.unit = "mean distance";
  add_figures(groups, report.varied, like, section);
  return section;
}

Section cross_binding_section(const Report& report) {
  Section section;
  section.id = "cross-binding";
  section.title = "Models in other bindings";
  section.short_title = "Other bindings";
  if (report.analysis.cross_binding.empty()) {
    section.missing = "No trained model was given to another binding.";
    section.command =
        command_for({Task::kTrain, Task::kInferParameters, Task::kInferSerialization});
    return section;
  }
  section.paragraphs.emplace_back(
      "Whether a model keeps the accuracy it was trained to when another binding loads it, by its "
      "parameters or in the framework's own file. Of several measurements the worst is shown.");
  std::map<std::string, std::map<std::string, analysis::Reproduction>> found;
  std::vector<std::string> columns;
  DataTable data{{"cross_binding", "Every measurement", {"binding"}, {}}, {}};
  const auto more = group_columns(report.varied);
  data.table.columns.insert(data.table.columns.end(), more.begin(), more.end());
  for (const auto* column : {"mode",
                             "outcome",
                             "largest_difference",
                             "differing",
                             "smallest_margin",
                             "largest_margin",
                             "largest_output_difference"}) {
    data.table.columns.emplace_back(column);
  }
  for (const auto& cell : report.analysis.cross_binding) {
    const std::string binding = trial::BindingName(cell.scope.framework, cell.binding).text();
    const std::string column =
        fmt::format("{}, {}, {}", cell.scope.model, cell.device, to_string(cell.mode));
    const auto [entry, is_new] = found[binding].try_emplace(column, cell.outcome);
    if (cell.outcome == analysis::Reproduction::kFailed ||
        entry->second == analysis::Reproduction::kUnsupported) {
      entry->second = cell.outcome;
    }
    columns.push_back(column);
    std::vector<Value> row = {binding};
    std::ranges::move(group_cells(group_of(cell.scope, cell.device, report.varied)),
                      std::back_inserter(row));
    row.emplace_back(std::string(to_string(cell.mode)));
    row.emplace_back(std::string(to_string(cell.outcome)));
    for (const auto& number : {cell.largest_difference,
                               cell.differing,
                               cell.smallest_margin,
                               cell.largest_margin,
                               cell.largest_output_difference}) {
      row.push_back(number ? Value(*number) : Value());
    }
    data.table.rows.push_back(std::move(row));
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  Matrix matrix{"reproduction", "Accuracy kept", {}, columns, {}};
  for (const auto& binding : report.bindings) {
    if (!found.contains(binding)) {
      continue;
    }
    matrix.rows.push_back(binding);
    auto& cells = matrix.cells.emplace_back();
    for (const auto& column : columns) {
      const auto outcome = found[binding].find(column);
      cells.push_back({outcome == found[binding].end() ? "not measured"
                                                       : std::string(to_string(outcome->second)),
                       ""});
    }
  }
  section.matrices.push_back(std::move(matrix));
  section.tables.push_back(std::move(data));
  return section;
}

}  // namespace crossbind::report
