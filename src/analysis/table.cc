#include "analysis/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

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

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    cell += c == '|' ? "\\|" : std::string(1, c == '\n' ? ' ' : c);
  }
  return cell;
}

std::string latex_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    constexpr std::string_view kEscaped = "&%$#_{}";
    if (kEscaped.find(c) != std::string_view::npos) {
      cell += fmt::format("\\{}", c);
    } else if (c == '\\') {
      cell += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      cell += fmt::format("\\{}{{}}", c);
    } else {
      cell += c;
    }
  }
  return cell;
}

bool is_number(const Value& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<int64_t>(value);
}

// "lrr": a column whose first value is a number stands to the right.
std::string alignment(const Table& table) {
  std::string letters;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    letters += !table.rows.empty() && is_number(table.rows[0][column]) ? 'r' : 'l';
  }
  return letters;
}

template <typename Cells, typename CellText>
std::string joined(const Cells& cells, std::string_view separator, const CellText& text) {
  std::string line;
  for (const auto& cell : cells) {
    line += (line.empty() && &cell == &cells.front() ? "" : std::string(separator)) + text(cell);
  }
  return line;
}

}  // namespace

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
  std::string csv = joined(table.columns, ",", csv_cell) + "\n";
  for (const auto& row : table.rows) {
    csv += joined(row, ",", [](const Value& value) { return csv_cell(text_of(value, false)); });
    csv += "\n";
  }
  return csv;
}

std::string to_markdown(const Table& table) {
  std::string text = fmt::format("## {}\n\n", table.title);
  if (table.rows.empty()) {
    return text + "Not measured.\n";
  }
  text += "| " + joined(table.columns, " | ", markdown_cell) + " |\n|";
  for (const char letter : alignment(table)) {
    text += letter == 'r' ? "---:|" : "---|";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text +=
        "| " +
        joined(row, " | ", [](const Value& value) { return markdown_cell(text_of(value, true)); }) +
        " |\n";
  }
  return text;
}

std::string to_latex(const Table& table) {
  if (table.rows.empty()) {
    return fmt::format(
        "% {}: not measured\n\\textit{{{}: not measured.}}\n", table.name, latex_cell(table.title));
  }
  std::string text = fmt::format("\\begin{{table}}\n\\caption{{{}}}\n\\label{{tab:{}}}\n",
                                 latex_cell(table.title),
                                 table.name);
  text += fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n", alignment(table));
  text += joined(table.columns, " & ", latex_cell) + " \\\\\n\\hline\n";
  for (const auto& row : table.rows) {
    text +=
        joined(row, " & ", [](const Value& value) { return latex_cell(text_of(value, true)); }) +
        " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace crossbind::analysis
