#include "report/document.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/sections.h"

namespace crossbind::report {
namespace {

std::string day_of(store::Time time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string subtitle_of(const Report& report) {
  std::set<std::string> names;
  for (const auto& study : report.studies) {
    names.insert(study.name);
  }
  std::string text =
      fmt::format("{} {}", names.size() == 1 ? "Study" : "Studies", fmt::join(names, ", "));
  if (report.first && report.last) {
    const std::string first = day_of(*report.first);
    const std::string last = day_of(*report.last);
    text += first == last ? fmt::format(", measured on {}", first)
                          : fmt::format(", measured from {} to {}", first, last);
  }
  return text;
}

}  // namespace

Document document_of(const Report& report) {
  Document document;
  document.title = "crossbind report";
  document.subtitle = subtitle_of(report);
  document.summary = summary_of(report);
  document.tiles = tiles_of(report);
  document.bindings = report.bindings;
  document.sections = {matrix_section(report),
                       training_section(report),
                       inference_section(report),
                       parts_section(report),
                       curves_section(report),
                       dtw_section(report),
                       cross_binding_section(report),
                       claims_section(report),
                       memory_section(report),
                       environment_section(report),
                       failures_section(report)};
  document.sections.push_back(not_measured_section(report, document.sections));
  return document;
}

analysis::Table table_of(const Matrix& matrix) {
  analysis::Table table{matrix.name, matrix.title, {"binding"}, {}};
  table.columns.insert(table.columns.end(), matrix.columns.begin(), matrix.columns.end());
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    auto& row = table.rows.emplace_back(std::vector<analysis::Value>{matrix.rows[i]});
    for (const auto& cell : matrix.cells[i]) {
      row.emplace_back(cell.word);
    }
  }
  return table;
}

analysis::Table table_of(const std::vector<Why>& whys) {
  analysis::Table table{"why", "Why", {"where", "verdict", "why"}, {}};
  table.rows.reserve(whys.size());
  for (const auto& why : whys) {
    table.rows.push_back({why.title, why.word, fmt::format("{}", fmt::join(why.lines, " "))});
  }
  return table;
}

std::vector<analysis::Table> tables_in(const Section& section) {
  std::vector<analysis::Table> tables;
  tables.reserve(section.matrices.size() + section.tables.size() + 1);
  for (const auto& matrix : section.matrices) {
    tables.push_back(table_of(matrix));
  }
  if (!section.whys.empty()) {
    tables.push_back(table_of(section.whys));
  }
  for (const auto& data : section.tables) {
    tables.push_back(data.table);
  }
  return tables;
}

}  // namespace crossbind::report
