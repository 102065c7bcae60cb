#include "claims/cells.h"

#include <algorithm>
#include <set>

namespace crossbind::claims {
namespace {

// A pair has no direction: its names in alphabetical order.
void put_pair_in_order(Labels& labels) {
  const auto pair = labels.find(kPair);
  if (pair == labels.end()) {
    return;
  }
  std::string& names = pair->second;
  const size_t dash = names.find('-');
  if (dash != std::string::npos && names.find('-', dash + 1) == std::string::npos &&
      names.substr(dash + 1) < names.substr(0, dash)) {
    names = names.substr(dash + 1) + "-" + names.substr(0, dash);
  }
}

std::string value_in(const Labels& labels, const std::string& name) {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string() : found->second;
}

// The conditions that not all of them share.
std::set<std::string> telling_conditions(const std::vector<Cell>& cells) {
  std::set<std::string> names;
  for (const auto& cell : cells) {
    for (const auto& [name, value] : merged(cell.condition, cells.front().condition)) {
      if (value_in(cell.condition, name) != value_in(cells.front().condition, name)) {
        names.insert(name);
      }
    }
  }
  return names;
}

}  // namespace

Status Cells::add(Cell cell) {
  put_pair_in_order(cell.labels);
  auto& alike = cells_[cell.labels];
  if (std::ranges::find(alike, cell.condition, &Cell::condition) != alike.end()) {
    return fail(ErrorKind::kInvalid, "there are two cells {}", to_string(cell.labels));
  }
  alike.push_back(std::move(cell));
  return {};
}

std::vector<Cell> Cells::find(Labels labels) const {
  put_pair_in_order(labels);
  const auto found = cells_.find(labels);
  if (found == cells_.end()) {
    return {};
  }
  std::vector<Cell> cells = found->second;
  const auto telling = telling_conditions(cells);
  for (auto& cell : cells) {
    Labels kept;
    for (const auto& name : telling) {
      kept[name] = value_in(cell.condition, name);
    }
    cell.condition = std::move(kept);
  }
  return cells;
}

size_t Cells::size() const {
  size_t count = 0;
  for (const auto& [labels, alike] : cells_) {
    count += alike.size();
  }
  return count;
}

Labels merged(Labels labels, const Labels& over) {
  for (const auto& [name, value] : over) {
    labels.insert_or_assign(name, value);
  }
  return labels;
}

std::string to_string(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

}  // namespace crossbind::claims
