// What a test comes to at one point: it holds, it does not, a cell is missing, or it does not apply
// because something else than a number came out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "claims/cells.h"
#include "claims/claim.h"

namespace crossbind::claims {

enum class State {
  kHolds,
  kFails,
  kMissing,
  kLeftOut,  // an outcome (out of memory, say) stands where a number was asked for
};

struct Tested {
  State state = State::kMissing;
  std::optional<double> value;  // what was compared with the bounds
  std::string figure;           // the value for people, or a word, or p and effect
  std::string reason;           // why it is missing or left out
  std::set<std::string> sources;
};

// Reads cells for one point, and remembers what it met.
class Lookup {
 public:
  // All must outlive it. `condition` chooses among cells with the same labels.
  Lookup(const Cells& cells, const Labels& point, const Labels& condition)
      : cells_(cells),
        point_(point),
        condition_(condition) {}

  // The labels of a cell that is asked for at this point.
  [[nodiscard]] Labels resolve(const Labels& labels) const;
  [[nodiscard]] std::string substitute(const std::string& text) const {
    return substituted(text, point_);
  }

  [[nodiscard]] std::optional<Cell> find(const Labels& resolved);

  [[nodiscard]] bool found_any() const { return found_any_; }
  [[nodiscard]] const std::set<std::string>& sources() const { return sources_; }
  // The conditions that told cells apart, and their values.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& conditions() const {
    return conditions_;
  }

 private:
  const Cells& cells_;
  const Labels& point_;
  const Labels& condition_;
  bool found_any_ = false;
  std::set<std::string> sources_;
  std::map<std::string, std::set<std::string>> conditions_;
};

[[nodiscard]] Result<Tested> find_out(const Test& test, Lookup& lookup);

// "16.47", "0.0005".
[[nodiscard]] std::string figure_text(double value);

}  // namespace crossbind::claims
