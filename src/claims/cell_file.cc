#include "claims/cell_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>

#include "base/csv.h"
#include "base/file.h"
#include "config/table_reader.h"

namespace crossbind::claims {
namespace {

constexpr std::string_view kReading = "reading";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

// A file taken apart: rows has the lines of the file, those of comments emptied.
struct Commented {
  std::string source;  // the first comment
  std::string rows;
};

Commented without_comments(std::string_view text) {
  Commented found;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (const auto comment = trimmed(line); !comment.starts_with('#')) {
      found.rows += line;
    } else if (found.source.empty()) {
      found.source = trimmed(comment.substr(1));
    }
    found.rows += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// What could be meant as a number is none.
bool is_word(std::string_view text) {
  const bool starts_with_letter =
      !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  return starts_with_letter && config::is_name(text) && text != "nan" && text != "inf";
}

// One number, several, or a word.
Status put_field(const std::string& field, Cell& cell) {
  std::istringstream parts(field);
  for (std::string part; parts >> part;) {
    if (const auto number = number_of(part)) {
      cell.samples.push_back(*number);
    } else if (part != field || !is_word(part)) {
      return fail(
          ErrorKind::kInvalid, "'{}' is neither a word nor one or more finite numbers", field);
    }
  }
  if (cell.samples.empty()) {
    cell.word = field;
  }
  return {};
}

class CellReader {
 public:
  CellReader(std::string source, Cells& cells) : source_(std::move(source)), cells_(cells) {}

  // The first row that is not empty names the columns.
  [[nodiscard]] Status take(std::vector<std::string> fields) {
    std::ranges::transform(
        fields, fields.begin(), [](const auto& field) { return std::string(trimmed(field)); });
    if (fields.size() == 1 && fields.front().empty()) {
      return {};
    }
    return columns_.empty() ? header(std::move(fields)) : row(fields);
  }

  [[nodiscard]] Status finish() const {
    if (columns_.empty()) {
      return fail(ErrorKind::kInvalid, "there is no line that names the columns");
    }
    return {};
  }

 private:
  [[nodiscard]] Status header(std::vector<std::string> columns) {
    for (auto column = columns.begin(); column != columns.end(); ++column) {
      const auto name = std::string_view(*column).substr(column->starts_with('=') ? 1 : 0);
      if (!config::is_name(name) || *column == kQuantity) {
        return fail(ErrorKind::kInvalid, "'{}' cannot be the name of a column", *column);
      }
      if (std::find(columns.begin(), column, *column) != column) {
        return fail(ErrorKind::kInvalid, "the column '{}' is there twice", *column);
      }
    }
    if (std::ranges::none_of(columns, [](const auto& name) { return name.starts_with('='); })) {
      return fail(ErrorKind::kInvalid, "no column is a quantity: those have '=' before their name");
    }
    columns_ = std::move(columns);
    return {};
  }

  [[nodiscard]] Status row(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.size()) {
      return fail(ErrorKind::kInvalid,
                  "there are {} fields, expected {}: {}",
                  fields.size(),
                  columns_.size(),
                  fmt::join(columns_, ","));
    }
    const Cell common = labelled(fields);
    for (size_t i = 0; i < fields.size(); ++i) {
      if (columns_[i].starts_with('=') && !fields[i].empty()) {
        Cell cell = common;
        cell.labels.emplace(kQuantity, columns_[i].substr(1));
        CB_TRY(put_field(fields[i], cell));
        CB_TRY(cells_.add(std::move(cell)));
      }
    }
    return {};
  }

  // What the cells of a row have in common.
  [[nodiscard]] Cell labelled(const std::vector<std::string>& fields) const {
    Cell cell;
    cell.source = source_;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!columns_[i].starts_with('=') && !fields[i].empty()) {
        (columns_[i] == kReading ? cell.condition : cell.labels)[columns_[i]] = fields[i];
      }
    }
    return cell;
  }

  std::string source_;
  Cells& cells_;
  std::vector<std::string> columns_;
};

}  // namespace

Status read_cells(std::string_view text, const std::string& place, Cells& cells) {
  auto commented = without_comments(text);
  auto rows = parse_csv(commented.rows);
  if (!rows) {
    return tl::unexpected(std::move(rows).error().at(place));
  }
  CellReader reader(std::move(commented.source), cells);
  for (auto& [line, fields] : *rows) {
    if (auto taken = reader.take(std::move(fields)); !taken) {
      return tl::unexpected(std::move(taken).error().at(fmt::format("{}:{}", place, line)));
    }
  }
  return reader.finish().map_error([&](Error&& error) { return std::move(error).at(place); });
}

Result<Cells> read_cell_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".csv") {
      files.push_back(entry->path());
    }
  }
  if (error) {
    return fail(ErrorKind::kNotFound, "cannot read the folder {}", folder.string());
  }
  if (files.empty()) {
    return fail(ErrorKind::kNotFound, "there is no .csv file in {}", folder.string());
  }
  std::ranges::sort(files);
  Cells cells;
  for (const auto& file : files) {
    CB_ASSIGN(const std::string text, read_file(file));
    CB_TRY(read_cells(text, file.string(), cells));
  }
  return cells;
}

}  // namespace crossbind::claims
