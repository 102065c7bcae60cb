#include "cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace crossbind::cli {
namespace {

// Characters, of which those of UTF-8 may have several bytes.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (auto& cell : cells) {
    std::ranges::replace_if(
        cell, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    size_t width = width_of(columns_[i].title);
    for (const auto& row : rows_) {
      width = std::max(width, width_of(row[i]));
    }
    widths.push_back(width);
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool right = columns_[i].align == Align::kRight;
      line += right ? fmt::format("{:>{}}", cells[i], widths[i])
                    : fmt::format("{:<{}}", cells[i], widths[i]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append(titles);
  std::ranges::for_each(rows_, append);
  return text;
}

}  // namespace crossbind::cli
