#include "published/sections.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace crossbind::published {
namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true" || text == "True") {
    return true;
  }
  return text == "false" || text == "False" ? std::optional(false) : std::nullopt;
}

std::optional<Line> parse_line(std::string_view text, size_t number) {
  Line line{.number = number};
  const size_t comma = text.find(", ");
  if (comma == std::string_view::npos) {
    line.flag = parse_flag(text);
    line.value = parse_number(text);
    return line.flag || line.value ? std::optional(line) : std::nullopt;
  }
  line.flag = parse_flag(text.substr(0, comma));
  line.value = parse_number(text.substr(comma + 2));
  return line.flag && line.value ? std::optional(line) : std::nullopt;
}

Result<Section> parse_title(std::string_view text, size_t number) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos ||
      colon == 0) {  // what has no title stands before all titles
    return fail_at(number,
                   "'{}' is neither a finite number, nor true or false, nor a title",
                   text.substr(0, 60));
  }
  Section section{.title = std::string(text.substr(0, colon)), .line = number};
  std::string_view rest = text.substr(colon + 1);
  if (!rest.empty()) {
    rest.remove_prefix(rest.front() == ' ' ? 1 : 0);
    section.inline_value = parse_number(rest);
    if (!section.inline_value) {
      return fail_at(number, "'{}' is not a finite number", rest.substr(0, 60));
    }
  }
  return section;
}

Status check_count(const Section& section, size_t count) {
  if (section.lines.size() == count) {
    return {};
  }
  const size_t line = section.lines.size() > count ? section.lines[count].number
                      : section.lines.empty()      ? section.line
                                                   : section.lines.back().number;
  return fail_at(line,
                 "{} {} {}, there must be {}",
                 section.lines.size(),
                 plural(section.lines.size(), "line", "lines"),
                 section.title.empty() ? "of values" : fmt::format("under '{}'", section.title),
                 count);
}

}  // namespace

Result<std::vector<Section>> read_sections(std::string_view text) {
  std::vector<Section> sections;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (const auto value = parse_line(line, number)) {
      if (sections.empty()) {
        sections.push_back({.title = {}, .line = number});
      }
      sections.back().lines.push_back(*value);
      continue;
    }
    CB_ASSIGN(auto section, parse_title(line, number));
    sections.push_back(std::move(section));
  }
  if (sections.empty()) {
    return fail_at(1, "the file is empty");
  }
  return sections;
}

Result<std::vector<double>> numbers_of(const Section& section, size_t count) {
  CB_TRY(check_count(section, count));
  std::vector<double> numbers;
  numbers.reserve(count);
  for (const auto& line : section.lines) {
    if (!line.value || line.flag) {
      return fail_at(line.number, "there must be a number alone");
    }
    numbers.push_back(*line.value);
  }
  return numbers;
}

Result<std::vector<bool>> flags_of(const Section& section, size_t count) {
  CB_TRY(check_count(section, count));
  std::vector<bool> flags;
  flags.reserve(count);
  for (const auto& line : section.lines) {
    if (!line.flag || line.value) {
      return fail_at(line.number, "there must be true or false alone");
    }
    flags.push_back(*line.flag);
  }
  return flags;
}

const Section* find_section(const std::vector<Section>& sections, std::string_view title) {
  const auto found = std::ranges::find(sections, title, &Section::title);
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace crossbind::published
