#include "claims/cells.h"

#include <algorithm>

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

bool tells_apart(const std::string& name, const std::vector<Cell>& cells) {
  const auto value = [&](const Cell& cell) {
    const auto found = cell.condition.find(name);
    return found == cell.condition.end() ? std::string() : found->second;
  };
  return std::ranges::any_of(cells,
                             [&](const Cell& cell) { return value(cell) != value(cells.front()); });
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
  for (auto& cell : cells) {
    std::erase_if(cell.condition,
                  [&](const auto& entry) { return !tells_apart(entry.first, found->second); });
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

std::string to_string(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

}  // namespace crossbind::claims
