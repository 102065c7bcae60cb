#include "claims/grid.h"

#include <algorithm>

namespace crossbind::claims {
namespace {

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t name_length(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, is_in_name) - text.begin());
}

void add_points(const Grid::LabelValues& part, std::vector<Labels>& points) {
  std::vector<Labels> made(1);
  for (const auto& [name, values] : part) {
    std::vector<Labels> longer;
    for (const auto& point : made) {
      for (const auto& value : values) {
        longer.push_back(merged(point, {{name, value}}));
      }
    }
    made = std::move(longer);
  }
  points.insert(points.end(), made.begin(), made.end());
}

}  // namespace

std::vector<Labels> Grid::points() const {
  if (empty()) {
    return {Labels{}};
  }
  std::vector<Labels> points;
  for (const auto& part : parts) {
    add_points(part, points);
  }
  return points;
}

std::set<std::string> Grid::varying() const {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& part : parts) {
    for (const auto& [name, some] : part) {
      values[name].insert(some.begin(), some.end());
    }
  }
  std::set<std::string> names;
  for (const auto& [name, some] : values) {
    if (some.size() > 1) {
      names.insert(name);
    }
  }
  return names;
}

std::string substituted(std::string_view text, const Labels& point) {
  std::string result;
  while (true) {
    const size_t dollar = std::min(text.find('$'), text.size());
    result += text.substr(0, dollar);
    if (dollar == text.size()) {
      return result;
    }
    const size_t length = 1 + name_length(text.substr(dollar + 1));
    const std::string_view variable = text.substr(dollar, length);
    auto found = point.find(variable);
    found = found == point.end() ? point.find(variable.substr(1)) : found;
    result += found == point.end() ? std::string(variable) : found->second;
    text.remove_prefix(dollar + length);
  }
}

std::vector<std::string> variables_of(std::string_view text) {
  std::vector<std::string> names;
  for (size_t dollar = text.find('$'); dollar != std::string_view::npos;
       dollar = text.find('$', dollar + 1)) {
    const std::string_view rest = text.substr(dollar + 1);
    names.emplace_back(rest.substr(0, name_length(rest)));
  }
  return names;
}

}  // namespace crossbind::claims
