#include "claims/cell_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

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

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> fields;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    fields.emplace_back(trimmed(text.substr(0, end)));
    if (end == text.size()) {
      return fields;
    }
    text.remove_prefix(end + 1);
  }
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
  for (const auto& part : split(field, ' ')) {
    if (part.empty()) {
      continue;
    }
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
  explicit CellReader(Cells& cells) : cells_(cells) {}

  [[nodiscard]] Status line(std::string_view text) {
    if (text.empty()) {
      return {};
    }
    if (text.front() == '#') {
      if (source_.empty()) {
        source_ = trimmed(text.substr(1));
      }
      return {};
    }
    if (columns_.empty()) {
      return header(split(text, ','));
    }
    return row(split(text, ','));
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

  Cells& cells_;
  std::string source_;
  std::vector<std::string> columns_;
};

}  // namespace

Status read_cells(std::string_view text, const std::string& place, Cells& cells) {
  CellReader reader(cells);
  size_t line = 0;
  while (!text.empty()) {
    ++line;
    const size_t end = std::min(text.find('\n'), text.size());
    if (auto read = reader.line(trimmed(text.substr(0, end))); !read) {
      return tl::unexpected(std::move(read).error().at(fmt::format("{}:{}", place, line)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
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
