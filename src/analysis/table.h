// A table of values with a name and a title: what every output format is made from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace crossbind::analysis {

using Value = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Table {
  std::string name;   // of a file or a JSON array
  std::string title;  // for people
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

// Each table with all digits. JSON: one object, an array of objects a table. CSV: as RFC 4180, with
// lines that end in a line feed; nothing stands for no value.
[[nodiscard]] std::string to_json(const std::vector<Table>& tables);
[[nodiscard]] std::string to_csv(const Table& table);

// Rounded to four digits; a table without rows says "not measured".
[[nodiscard]] std::string to_markdown(const Table& table);
[[nodiscard]] std::string to_markdown_rows(const Table& table);  // without its title
[[nodiscard]] std::string to_latex(const Table& table);
[[nodiscard]] std::string to_long_latex(const Table& table);  // over pages, by package longtable

// A value for people: rounded to four digits, nothing for no value.
[[nodiscard]] std::string rounded_text(const Value& value);
[[nodiscard]] bool is_number(const Value& value);

// Any text in one line of these formats, where it comes out as text and nothing else.
[[nodiscard]] std::string markdown_text(std::string_view text);
[[nodiscard]] std::string latex_text(std::string_view text);

}  // namespace crossbind::analysis
