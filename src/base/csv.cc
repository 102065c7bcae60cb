#include "base/csv.h"

#include <algorithm>

namespace crossbind {
namespace {

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : rest_(text) {}

  Result<std::vector<CsvRow>> rows() {
    std::vector<CsvRow> all;
    while (!rest_.empty()) {
      CsvRow& row = all.emplace_back(CsvRow{line_, {}});
      do {
        CB_ASSIGN(row.fields.emplace_back(), field());
      } while (skip(","));
      if (!skip("\r\n") && !skip("\n") && !rest_.empty()) {
        return fail(ErrorKind::kCorrupt, "line {}: a comma was expected behind a quote", line_);
      }
      ++line_;
    }
    return all;
  }

 private:
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) {
      return false;
    }
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string take(size_t count) {
    std::string taken(rest_.substr(0, count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  Result<std::string> field() {
    if (skip("\"")) {
      return quoted();
    }
    return take(std::min(rest_.find_first_of(",\r\n"), rest_.size()));
  }

  Result<std::string> quoted() {
    const size_t began = line_;
    std::string value;
    while (true) {
      const size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        return fail(ErrorKind::kCorrupt, "line {}: a quote is not closed", began);
      }
      value += take(quote);
      rest_.remove_prefix(1);
      if (!skip("\"")) {
        break;
      }
      value += '"';
    }
    line_ += static_cast<size_t>(std::ranges::count(value, '\n'));
    return value;
  }

  std::string_view rest_;
  size_t line_ = 1;
};

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  return CsvParser(text).rows();
}

}  // namespace crossbind
