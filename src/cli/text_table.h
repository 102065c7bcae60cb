// A table of text with aligned columns, for people to read. Own code, because a library's would
// need around it what is most of it: that no cell of somebody else's moves the terminal's cursor.
#pragma once

#include <string>
#include <vector>

namespace crossbind::cli {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column; control characters are shown as '?'.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace crossbind::cli
