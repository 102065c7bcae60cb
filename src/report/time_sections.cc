// Sections that show times, their parts and memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "analysis/names.h"
#include "base/text.h"
#include "report/sections.h"
#include "report/spread.h"
#include "report/times.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using analysis::Value;
using trial::Task;

int64_t count(size_t number) {
  return static_cast<int64_t>(number);
}

Value number_or_none(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

void append_spread(const Spread& spread, double unit, std::vector<Value>& row) {
  row.emplace_back(count(spread.n));
  for (const double value : {spread.min, spread.q1, spread.median, spread.q3, spread.max}) {
    row.emplace_back(value / unit);
  }
}

std::vector<double> scaled(std::vector<double> values, double unit) {
  for (double& value : values) {
    value /= unit;
  }
  return values;
}

constexpr std::array<const char*, 6> kSpreadColumns = {"n", "min", "q1", "median", "q3", "max"};

Value significance(const Time& time) {
  const auto difference = time.difference();
  if (!difference) {
    return {};
  }
  switch (*difference) {
    case analysis::Difference::kTooFew:
      return std::string("n too small");
    case analysis::Difference::kNotFound:
      return std::string("no");
    case analysis::Difference::kBelowNoise:
    case analysis::Difference::kUnknownNoise:  // the column `noise` is empty then
      return std::string("below the noise");
    case analysis::Difference::kFound:
      return std::string("yes");
  }
  return {};
}

DataTable time_table(const std::vector<Time>& times,
                     const std::vector<std::string>& varied,
                     std::string name,
                     std::string title) {
  DataTable data{{std::move(name), std::move(title), group_columns(varied), {}}, {}};
  auto& columns = data.table.columns;
  columns.emplace_back("binding");
  columns.insert(columns.end(), kSpreadColumns.begin(), kSpreadColumns.end());
  for (const auto* name_of_column : {"ratio", "low", "high", "noise", "p", "significant"}) {
    columns.emplace_back(name_of_column);
  }
  for (const auto& time : times) {
    auto row = group_cells(time.group);
    row.emplace_back(time.binding);
    append_spread(time.seconds, 1, row);
    row.push_back(number_or_none(time.ratio));
    row.push_back(time.interval ? Value(time.interval->low) : Value());
    row.push_back(time.interval ? Value(time.interval->high) : Value());
    row.push_back(number_or_none(time.noise));
    row.push_back(number_or_none(time.p_adjusted));
    row.push_back(significance(time));
    data.table.rows.push_back(std::move(row));
    data.dots.push_back(time.seconds.dots);
  }
  return data;
}

bool has_ratio(const Time& time) {
  return time.ratio.has_value();
}

bool is_thinned(const Spread& spread) {
  return spread.dots.size() < spread.n;
}

struct TimeWords {
  std::string id;
  std::string title;
  std::string short_title;
  std::string missing;
  std::string command;
};

Section time_section(const std::vector<Time>& times, const Report& report, const TimeWords& words) {
  Section section;
  section.id = words.id;
  section.title = words.title;
  section.short_title = words.short_title;
  if (times.empty()) {
    section.missing = words.missing;
    section.command = words.command;
    return section;
  }
  section.paragraphs.emplace_back(
      "Dots are samples, boxes the quartiles with the median, lines reach from the smallest to the "
      "largest. The ratio is to the median of the framework's Python, with its 95 % interval; p is "
      "Mann-Whitney's after Bonferroni's correction. Noise is the ratio that a binding held "
      "against "
      "itself stays within, 1.03 for 3 %: what is not further from 1 is no difference.");
  const auto thinned_count =
      std::ranges::count_if(times, [](const Time& time) { return is_thinned(time.seconds); });
  if (thinned_count > 0) {
    section.paragraphs.push_back(
        fmt::format("{} of {} {} more than {} samples: their dots are {} of them, evenly "
                    "chosen by rank; every other number is of all.",
                    thinned_count,
                    times.size(),
                    plural(times.size(), "box has", "boxes have"),
                    kMostDots,
                    kMostDots));
  }
  std::vector<Group> groups;
  groups.reserve(times.size());
  for (const auto& time : times) {
    groups.push_back(time.group);
  }
  section.tables.push_back(
      time_table(times, report.varied, words.id + "_times", words.title + ", in seconds"));
  Figure like;
  like.id = words.id;
  like.table = words.id + "_times";
  like.unit = "seconds";
  add_figures(groups, report.varied, like, section);
  like.id = words.id + "-ratio";
  like.kind = FigureKind::kRatio;
  like.title = ", ratio to Python";
  like.unit = "times Python's time";
  add_figures(groups, report.varied, like, section);
  std::erase_if(section.figures, [&](const Figure& figure) {
    const auto rows = std::span(times).subspan(figure.first, figure.count);
    return figure.kind == FigureKind::kRatio && std::ranges::none_of(rows, has_ratio);
  });
  std::ranges::stable_sort(section.figures, {}, &Figure::first);  // a ratio beside its times
  return section;
}

// Parts of a training or an inference; ways of loading stand beside each other.
struct PartRow {
  Group group;  // without the loader
  std::string task;
  std::string title;
  std::string framework;
  const analysis::Parts* parts = nullptr;
  std::string loader;
};

void add_part_rows(const std::vector<analysis::Parts>& all,
                   const std::string& task,
                   const std::string& title,
                   const std::vector<std::string>& varied,
                   std::vector<PartRow>& rows) {
  for (const auto& parts : all) {
    const auto loader = parts.scope.condition.find("loader");
    rows.push_back({group_of(parts.scope, parts.device, varied),
                    task,
                    title,
                    parts.scope.framework,
                    &parts,
                    loader == parts.scope.condition.end() ? "" : loader->second});
  }
}

}  // namespace

std::string title_of(const Group& group, const std::vector<std::string>& varied) {
  std::string title = group.model;
  if (!group.device.empty()) {
    title += ", " + group.device;
  }
  for (size_t i = 0; i < varied.size(); ++i) {
    if (!group.varied[i].empty()) {
      title += fmt::format(", {} {}", varied[i], group.varied[i]);
    }
  }
  return title;
}

std::vector<std::string> group_columns(const std::vector<std::string>& varied) {
  std::vector<std::string> columns = {"model", "device"};
  columns.insert(columns.end(), varied.begin(), varied.end());
  return columns;
}

std::vector<Value> group_cells(const Group& group) {
  std::vector<Value> cells = {group.model, group.device};
  cells.insert(cells.end(), group.varied.begin(), group.varied.end());
  return cells;
}

void add_figures(const std::vector<Group>& groups,
                 const std::vector<std::string>& varied,
                 const Figure& like,
                 Section& section) {
  size_t number = 0;
  for (size_t first = 0; first < groups.size();) {
    size_t end = first;
    while (end < groups.size() && groups[end] == groups[first]) {
      ++end;
    }
    Figure figure = like;
    figure.id = fmt::format("{}-{}", like.id, ++number);
    figure.title = title_of(groups[first], varied) + like.title;
    figure.first = first;
    figure.count = end - first;
    section.figures.push_back(std::move(figure));
    first = end;
  }
}

Section training_section(const Report& report) {
  return time_section(report.training,
                      report,
                      {"training",
                       "Training time",
                       "Training",
                       "No training was timed.",
                       fmt::format("crossbind run STUDY.toml with {} and measures = [\"total\"]",
                                   tasks_of_study({Task::kTrain}))});
}

Section inference_section(const Report& report) {
  return time_section(report.inference,
                      report,
                      {"inference",
                       "Inference time",
                       "Inference",
                       "No inference was timed.",
                       fmt::format("crossbind run STUDY.toml with {}",
                                   tasks_of_study({Task::kTrain, Task::kInferParameters}))});
}

Section parts_section(const Report& report) {
  Section section;
  section.id = "parts";
  section.title = "Where the time goes";
  section.short_title = "Parts";
  std::vector<std::string> varied = report.varied;
  std::erase(varied, "loader");
  std::vector<PartRow> rows;
  add_part_rows(report.analysis.training_parts, "train", "training", varied, rows);
  add_part_rows(report.analysis.inference_parts, "infer", "inference", varied, rows);
  if (rows.empty()) {
    section.missing = "No trial had timers inside: load, forward and backward are not told apart.";
    section.command =
        "crossbind run STUDY.toml with measures = [\"parts\"], and loaders = [\"idiomatic\", "
        "\"resident\"] to see what the loader costs";
    return section;
  }
  const auto key = [](const PartRow& row) {
    return std::tuple(row.group, row.task, row.framework, analysis::rank_of(row.parts->binding));
  };
  std::ranges::stable_sort(rows,
                           [&](const PartRow& a, const PartRow& b) { return key(a) < key(b); });
  section.paragraphs.emplace_back(
      "Mean seconds of a trial with timers inside. An idiomatic loader is what a user of the "
      "binding writes; a resident one slices a tensor in memory, and what is left is the binding.");
  DataTable data{{"parts", "Parts, in seconds", group_columns(varied), {}}, {}};
  for (const auto* column :
       {"task", "binding", "loader", "n", "load", "forward", "backward", "total"}) {
    data.table.columns.emplace_back(column);
  }
  std::vector<Group> groups;
  for (const auto& row : rows) {
    const auto& parts = *row.parts;
    auto cells = group_cells(row.group);
    cells.emplace_back(row.task);
    cells.emplace_back(trial::BindingName(row.framework, parts.binding).text());
    cells.emplace_back(row.loader);
    cells.emplace_back(count(parts.n));
    cells.emplace_back(parts.load);
    cells.emplace_back(parts.forward);
    cells.push_back(number_or_none(parts.backward));
    cells.emplace_back(parts.total);
    data.table.rows.push_back(std::move(cells));
    auto group = row.group;  // a figure a task, too
    group.device += ", " + row.title;
    groups.push_back(std::move(group));
  }
  section.tables.push_back(std::move(data));
  Figure like;
  like.id = "parts";
  like.table = "parts";
  like.kind = FigureKind::kParts;
  like.unit = "seconds";
  add_figures(groups, varied, like, section);
  return section;
}

Section memory_section(const Report& report) {
  Section section;
  section.id = "memory";
  section.title = "Memory";
  section.short_title = "Memory";
  if (report.memory.empty()) {
    section.missing = "No trial has its peak memory.";
    section.command = "crossbind run STUDY.toml";
    return section;
  }
  constexpr double kMiB = 1024.0 * 1024;
  section.paragraphs.emplace_back(
      "The largest resident memory of a worker's processes in a trial, in MiB, with all that the "
      "binding loads.");
  DataTable data{{"memory", "Peak memory, in MiB", group_columns(report.varied), {}}, {}};
  auto& columns = data.table.columns;
  columns.emplace_back("task");
  columns.emplace_back("binding");
  columns.insert(columns.end(), kSpreadColumns.begin(), kSpreadColumns.end());
  std::vector<Group> groups;
  for (const auto& memory : report.memory) {
    auto row = group_cells(memory.group);
    row.emplace_back(memory.task);
    row.emplace_back(memory.binding);
    append_spread(memory.bytes, kMiB, row);
    data.table.rows.push_back(std::move(row));
    data.dots.push_back(scaled(memory.bytes.dots, kMiB));
    auto group = memory.group;
    group.device += ", " + memory.task;
    groups.push_back(std::move(group));
  }
  section.tables.push_back(std::move(data));
  Figure like;
  like.id = "memory";
  like.table = "memory";
  like.unit = "MiB";
  add_figures(groups, report.varied, like, section);
  return section;
}

}  // namespace crossbind::report
