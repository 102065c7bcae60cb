#include "analysis/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/csv.h"

namespace crossbind::analysis {
namespace {

using Json = nlohmann::ordered_json;

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

Json json_of(const Value& value) {
  return std::visit(Overloaded{[](std::monostate) { return Json(); },
                               [](const auto& other) { return Json(other); }},
                    value);
}

std::string text_of(const Value& value, bool rounded) {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](bool flag) { return std::string(flag ? "true" : "false"); },
                               [](int64_t number) { return fmt::format("{}", number); },
                               [&](double number) {
                                 return rounded ? fmt::format("{:.4g}", number)
                                                : fmt::format("{}", number);
                               },
                               [](const std::string& text) { return text; }},
                    value);
}

// Spreadsheets take text that begins like a formula for one, unless an apostrophe stands before it.
std::string csv_text(const std::string& text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool is_formula = !text.empty() && kFormula.find(text.front()) != std::string_view::npos;
  return csv_field(is_formula ? "'" + text : text);
}

std::string csv_cell(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? csv_text(*text) : text_of(value, false);
}

bool is_word_character(std::string_view text, size_t place) {
  return place < text.size() && (std::isalnum(static_cast<unsigned char>(text[place])) != 0);
}

// "lrr": a column whose first value is a number stands to the right.
std::string alignment(const Table& table) {
  std::string letters;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const auto first = std::ranges::find_if(table.rows, [&](const std::vector<Value>& row) {
      return !std::holds_alternative<std::monostate>(row[column]);
    });
    letters += first != table.rows.end() && is_number((*first)[column]) ? 'r' : 'l';
  }
  return letters;
}

size_t longest_in(const Table& table, size_t column) {
  size_t longest = table.columns[column].size();
  for (const auto& row : table.rows) {
    longest = std::max(longest, rounded_text(row[column]).size());
  }
  return longest;
}

// As alignment(), but of a table that is wider than a page the long columns have a width in which
// their text is broken: what the others leave, by what each has.
std::string latex_columns(const Table& table) {
  constexpr size_t kLine = 130;  // characters of small print on a landscape page
  constexpr size_t kLong = 30;   // from here on a column can be broken
  constexpr size_t kMost = 100;  // one that has more gets no wider
  constexpr size_t kLeast = 20;
  std::string letters = alignment(table);
  size_t all = 0;
  size_t broken = 0;
  std::vector<size_t> lengths;
  lengths.reserve(letters.size());
  for (size_t column = 0; column < letters.size(); ++column) {
    lengths.push_back(std::min(longest_in(table, column), kMost));
    all += lengths.back();
    broken += lengths.back() > kLong ? lengths.back() : 0;
  }
  if (all <= kLine) {
    return letters;
  }
  const size_t others = all - broken;
  const size_t left = others + kLeast < kLine ? kLine - others : kLeast;
  std::string columns;
  for (size_t column = 0; column < letters.size(); ++column) {
    if (lengths[column] > kLong) {
      const double share =
          static_cast<double>(left * lengths[column]) / static_cast<double>(broken * kLine);
      columns += fmt::format("p{{{:.3f}\\linewidth}}", 0.9 * share);  // a tenth is between columns
    } else {
      columns += letters[column];
    }
  }
  return columns;
}

template <typename Cells, typename CellText>
std::string joined(const Cells& cells, std::string_view separator, const CellText& text) {
  std::string line;
  for (const auto& cell : cells) {
    line += (line.empty() && &cell == &cells.front() ? "" : std::string(separator)) + text(cell);
  }
  return line;
}

std::string latex_without_rows(const Table& table) {
  return fmt::format(
      "% {}: not measured\n\\textit{{{}: not measured.}}\n", table.name, latex_text(table.title));
}

std::string latex_caption(const Table& table) {
  return fmt::format("\\caption{{{}}}\n\\label{{tab:{}}}", latex_text(table.title), table.name);
}

std::string latex_head(const Table& table) {
  return joined(table.columns, " & ", latex_text) + " \\\\\n\\hline\n";
}

std::string latex_rows(const Table& table) {
  std::string text;
  for (const auto& row : table.rows) {
    text += joined(row, " & ", [](const Value& value) { return latex_text(rounded_text(value)); }) +
            " \\\\\n";
  }
  return text;
}

}  // namespace

std::string rounded_text(const Value& value) {
  return text_of(value, true);
}

bool is_number(const Value& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<int64_t>(value);
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kEscaped = "\\`*[]|~";
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool within_word =
        i > 0 && is_word_character(text, i - 1) && is_word_character(text, i + 1);
    if (kEscaped.find(c) != std::string_view::npos || (c == '_' && !within_word)) {
      escaped += fmt::format("\\{}", c);
    } else if (c == '<' || c == '>' || c == '&') {
      escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return escaped;
}

std::string latex_text(std::string_view text) {
  constexpr std::string_view kEscaped = "&%$#_{}";
  // U+FFFD is how lualatex itself notes bytes that are not UTF-8, and it stops at one.
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with(kReplacement)) {
      escaped += '?';
      i += kReplacement.size() - 1;
    } else if (kEscaped.find(c) != std::string_view::npos) {
      escaped += fmt::format("\\{}", c);
    } else if (c == '~' || c == '^') {
      escaped += fmt::format("\\{}{{}}", c);
    } else if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '<' || c == '>' || c == '|') {
      escaped += c == '<' ? "\\textless{}" : c == '>' ? "\\textgreater{}" : "\\textbar{}";
    } else {
      escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return escaped;
}

std::string to_json(const std::vector<Table>& tables) {
  Json json = Json::object();
  for (const auto& table : tables) {
    Json& rows = json[table.name] = Json::array();
    for (const auto& row : table.rows) {
      Json object = Json::object();
      for (size_t column = 0; column < row.size(); ++column) {
        object[table.columns[column]] = json_of(row[column]);
      }
      rows.push_back(std::move(object));
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Table& table) {
  std::string csv = joined(table.columns, ",", csv_text) + "\n";
  for (const auto& row : table.rows) {
    csv += joined(row, ",", csv_cell) + "\n";
  }
  return csv;
}

std::string to_markdown(const Table& table) {
  return fmt::format("## {}\n\n{}", markdown_text(table.title), to_markdown_rows(table));
}

std::string to_markdown_rows(const Table& table) {
  if (table.rows.empty()) {
    return "Not measured.\n";
  }
  std::string text = "| " + joined(table.columns, " | ", markdown_text) + " |\n|";
  for (const char letter : alignment(table)) {
    text += letter == 'r' ? "---:|" : "---|";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text +=
        "| " +
        joined(row, " | ", [](const Value& value) { return markdown_text(rounded_text(value)); }) +
        " |\n";
  }
  return text;
}

std::string to_latex(const Table& table) {
  if (table.rows.empty()) {
    return latex_without_rows(table);
  }
  return fmt::format(
      "\\begin{{table}}\n{}\n\\begin{{tabular}}{{{}}}\n\\hline\n{}{}\\hline\n\\end{{tabular}}\n"
      "\\end{{table}}\n",
      latex_caption(table),
      latex_columns(table),
      latex_head(table),
      latex_rows(table));
}

std::string to_long_latex(const Table& table) {
  if (table.rows.empty()) {
    return latex_without_rows(table);
  }
  const std::string head = "\\hline\n" + latex_head(table);
  return fmt::format(
      "\\begin{{longtable}}{{{}}}\n{}\\\\\n{}\\endfirsthead\n{}\\endhead\n{}\\hline\n"
      "\\end{{longtable}}\n",
      latex_columns(table),
      latex_caption(table),
      head,
      head,
      latex_rows(table));
}

}  // namespace crossbind::analysis
