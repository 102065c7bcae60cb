// Cells: what claims are asked of. A cell is a quantity of something that labels name, with its
// samples, one printed figure, or a word (an outcome). Knows no store, no file and no claim.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::claims {

using Labels = std::map<std::string, std::string, std::less<>>;

inline constexpr std::string_view kQuantity = "quantity";  // a label that every cell has
inline constexpr std::string_view kPair = "pair";          // two names, in either order: "a-b"

struct Cell {
  Labels labels;
  // What else was fixed when it was measured, or where else it is printed, by name. A claim need
  // not say it: it matters only where it tells cells with the same labels apart.
  Labels condition;
  std::vector<double> samples;  // finite; empty when it is a word
  std::string word;
  std::string source;  // "Table 4"; may be empty
};

class Cells {
 public:
  // Refuses a cell that is there already, in labels and condition.
  [[nodiscard]] Status add(Cell cell);

  // The cells whose labels are these, no more and no fewer; they differ in their conditions. Of
  // each condition only that is kept which tells them apart.
  [[nodiscard]] std::vector<Cell> find(Labels labels) const;

  [[nodiscard]] bool empty() const { return cells_.empty(); }
  [[nodiscard]] size_t size() const;

 private:
  std::map<Labels, std::vector<Cell>> cells_;
};

// `over` wins.
[[nodiscard]] Labels merged(Labels labels, const Labels& over);

// "quantity=load model=lenet1".
[[nodiscard]] std::string to_string(const Labels& labels);

}  // namespace crossbind::claims
