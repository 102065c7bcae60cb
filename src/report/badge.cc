#include "report/badge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/table.h"
#include "base/text.h"
#include "report/plain_text.h"
#include "report/sections.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using analysis::Value;

struct Row {
  const Time* training = nullptr;
  const Time* inference = nullptr;
};

Value ratio_text(const Time* time) {
  if (time == nullptr) {
    return {};
  }
  if (!time->ratio) {
    return fmt::format("{:.3g} s", time->seconds.median);
  }
  const std::string interval =
      time->interval ? fmt::format(" ({:.2f} to {:.2f})", time->interval->low, time->interval->high)
                     : "";
  return fmt::format("{:.3g} s, {:.2f}{} of Python's{}",
                     time->seconds.median,
                     *time->ratio,
                     interval,
                     time->noise && !time->is_above_noise ? ", below the noise" : "");
}

analysis::Table table_of(const Report& report, const std::string& binding) {
  std::map<Group, Row> rows;
  for (const auto& time : report.training) {
    if (time.binding == binding) {
      rows[time.group].training = &time;
    }
  }
  for (const auto& time : report.inference) {
    if (time.binding == binding) {
      rows[time.group].inference = &time;
    }
  }
  analysis::Table table{
      "benchmark", binding, {"model", "against the referee", "training", "inference"}, {}};
  for (const auto& graded : report.graded) {
    if (graded.binding != binding) {
      continue;
    }
    const std::string word(name_in(kGrades, graded.grade));
    bool is_timed = false;
    for (const auto& [group, row] : rows) {
      if (group.model == graded.model) {
        table.rows.push_back({title_of(group, report.varied),
                              word,
                              ratio_text(row.training),
                              ratio_text(row.inference)});
        is_timed = true;
      }
    }
    if (!is_timed) {
      table.rows.push_back({graded.model, word, Value(), Value()});
    }
  }
  return table;
}

// How many characters are told by their number: no font is measured here.
std::string svg_of(const std::string& left, const std::string& right, std::string_view colour) {
  constexpr size_t kCharacter = 7;
  constexpr size_t kMargin = 12;
  const size_t first = left.size() * kCharacter + kMargin;
  const size_t second = right.size() * kCharacter + kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
      "aria-label=\"{1}: {2}\"><title>{1}: {2}</title>\n"
      "<rect width=\"{3}\" height=\"20\" fill=\"#444\"/>"
      "<rect x=\"{3}\" width=\"{4}\" height=\"20\" fill=\"{5}\"/>\n"
      "<g fill=\"#fff\" font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\" "
      "text-anchor=\"middle\">\n<text x=\"{6}\" y=\"14\">{1}</text><text x=\"{7}\" "
      "y=\"14\">{2}</text></g></svg>\n",
      first + second,
      html_text(left),
      html_text(right),
      first,
      second,
      colour,
      first / 2,
      first + second / 2);
}

}  // namespace

std::string badge_name(const std::string& binding) {
  return trial::BindingName(binding).as_file_name();
}

Result<Badge> badge_of(const Report& report, const std::string& binding) {
  if (std::ranges::find(report.bindings, binding) == report.bindings.end()) {
    return tl::unexpected(Error{ErrorKind::kNotFound,
                                fmt::format("the store has no trial of the binding '{}'", binding),
                                {},
                                fmt::format("It has {}.", fmt::join(report.bindings, ", "))});
  }
  size_t models = 0;
  size_t agreeing = 0;
  for (const auto& graded : report.graded) {
    if (graded.binding == binding && graded.grade != Grade::kNotMeasured) {
      ++models;
      agreeing += graded.grade <= Grade::kRounding ? 1 : 0;
    }
  }
  const std::string words =
      fmt::format("{} of {} {}", agreeing, models, plural(models, "model agrees", "models agree"));
  const std::string_view colour = models == 0 ? "#666" : agreeing == models ? "#00694c" : "#a34700";
  Badge badge;
  badge.svg = svg_of("crossbind", words, colour);
  badge.markdown = fmt::format("![crossbind: {}]({}.svg)\n\n{}",
                               words,
                               badge_name(binding),
                               to_markdown_rows(table_of(report, binding)));
  return badge;
}

}  // namespace crossbind::report
