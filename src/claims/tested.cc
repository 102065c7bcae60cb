#include "claims/tested.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "claims/number.h"
#include "claims/significance.h"

namespace crossbind::claims {
namespace {

Tested without(const Number& number) {
  Tested tested;
  tested.state = number.state;
  tested.reason = number.reason;
  return tested;
}

State state_of(bool holds) {
  return holds ? State::kHolds : State::kFails;
}

Tested find_number(const Test& test, const Number& number) {
  if (!number.is_there()) {
    return without(number);
  }
  Tested tested;
  tested.state = state_of(is_within(number, test.bounds));
  tested.value = number.value;
  tested.figure = figure_text(number.value);
  return tested;
}

bool is_one_of(const std::string& word,
               const std::vector<std::string>& words,
               const Lookup& lookup) {
  return std::ranges::any_of(
      words, [&](const std::string& text) { return lookup.substitute(text) == word; });
}

bool is_word_right(const Test& test, const std::string& word, const Lookup& lookup) {
  return (test.is.empty() || is_one_of(word, test.is, lookup)) &&
         !is_one_of(word, test.is_not, lookup);
}

Tested find_value(const Test& test, Lookup& lookup) {
  if (test.is.empty() && test.is_not.empty()) {
    return find_number(test, number_of(test.operands[0], test.stat, lookup));
  }
  Tested tested;
  const Labels labels = lookup.resolve(test.operands[0].labels);
  const auto cell = lookup.find(labels);
  if (!cell) {
    tested.reason = fmt::format("no {}", to_string(labels));
    return tested;
  }
  tested.state = state_of(is_word_right(test, cell->word, lookup));
  tested.figure = cell->samples.empty() ? cell->word : "a number";
  return tested;
}

Tested find_rising(const Test& test, Lookup& lookup) {
  Tested tested;
  tested.state = State::kHolds;
  std::vector<Number> numbers;
  std::vector<std::string> figures;
  for (const auto& operand : test.operands) {
    numbers.push_back(number_of(operand, test.stat, lookup));
    if (!numbers.back().is_there() && tested.state != State::kMissing) {
      tested = without(numbers.back());
    }
    figures.push_back(numbers.back().is_there() ? figure_text(numbers.back().value) : "?");
  }
  tested.figure = fmt::format("{}", fmt::join(figures, ", "));
  // The numbers that are there must rise, whatever the others are.
  std::erase_if(numbers, [](const Number& number) { return !number.is_there(); });
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (!is_less(numbers[i - 1], numbers[i])) {
      tested.state = State::kFails;
    }
  }
  return tested;
}

// The numbers of cells that differ in the labels of `among`.
struct Field {
  struct Entry {
    std::string name;  // what tells it from the others
    Number number;
  };
  std::vector<Entry> entries;  // those that have one
  std::optional<Number> first_without;

  [[nodiscard]] bool is_complete() const { return !first_without; }
};

Field field_of(const Test& test, Lookup& lookup) {
  Field field;
  const auto varying = test.among.varying();
  for (const auto& member : test.among.points()) {
    const Labels labels = lookup.resolve(merged(test.operands[0].labels, member));
    Number number = number_of_cell(labels, test.stat, lookup);
    if (!number.is_there()) {
      field.first_without = field.first_without.value_or(std::move(number));
      continue;
    }
    std::string name;
    for (const auto& label : varying) {
      const auto value = labels.find(label);
      name +=
          fmt::format("{}{}", name.empty() ? "" : " ", value == labels.end() ? "" : value->second);
    }
    field.entries.push_back({std::move(name), std::move(number)});
  }
  return field;
}

bool is_before(const Field::Entry& a, const Field::Entry& b) {
  return is_less(a.number, b.number);
}

Tested find_spread(const Test& test, Lookup& lookup) {
  const Field field = field_of(test, lookup);
  if (field.entries.size() < 2) {
    return without(field.first_without.value_or(missing("there is one number only")));
  }
  const auto [low, high] = std::ranges::minmax_element(field.entries, is_before);
  const double a = high->number.value;
  const double b = low->number.value;
  if (test.kind == TestKind::kFactor && b <= 0) {
    return without(missing("the smallest is not above 0"));
  }
  const Number number =
      test.kind == TestKind::kRange
          ? Number{State::kHolds, a - b, std::max(high->number.scale, low->number.scale), {}}
          : Number{State::kHolds, a / b, a / b, {}};
  Tested tested = find_number(test, number);
  if (field.is_complete()) {
    return tested;
  }
  // The whole range is at least this: enough to break an upper bound, or to reach a lower one.
  Bounds upper = test.bounds;
  upper.above.reset();
  upper.at_least.reset();
  const bool is_decided = is_within(number, upper)
                              ? tested.state == State::kHolds && !upper.at_most && !upper.below
                              : true;
  if (!is_decided) {
    tested.state = State::kMissing;
    tested.reason = field.first_without->reason;
  }
  return tested;
}

// The names of those that share the extreme: "rust", or "python = rust".
Tested extreme_of(const Field& field, const Test& test, const Lookup& lookup) {
  Tested tested;
  const auto best = test.kind == TestKind::kLowest
                        ? std::ranges::min_element(field.entries, is_before)
                        : std::ranges::max_element(field.entries, is_before);
  for (const auto& entry : field.entries) {
    if (!is_before(entry, *best) && !is_before(*best, entry)) {
      tested.figure += (tested.figure.empty() ? "" : " = ") + entry.name;
    }
  }
  tested.state = state_of(is_word_right(test, tested.figure, lookup));
  tested.figure += fmt::format(" ({})", figure_text(best->number.value));
  return tested;
}

// With numbers missing, a name that is beaten already is not the extreme; no more is known.
bool is_decided(const Field& field, const Test& test, const Tested& so_far, const Lookup& lookup) {
  const bool beaten_holds = !test.is_not.empty();
  const auto& words = beaten_holds ? test.is_not : test.is;
  return so_far.state == state_of(beaten_holds) &&
         std::ranges::all_of(words, [&](const std::string& word) {
           return std::ranges::find(field.entries, lookup.substitute(word), &Field::Entry::name) !=
                  field.entries.end();
         });
}

Tested find_extreme(const Test& test, Lookup& lookup) {
  const Field field = field_of(test, lookup);
  Tested tested;
  if (!field.entries.empty()) {
    tested = extreme_of(field, test, lookup);
    if (field.is_complete() || is_decided(field, test, tested, lookup)) {
      return tested;
    }
  }
  Labels labels = lookup.resolve(test.operands[0].labels);
  labels[std::string(kQuantity)] += test.kind == TestKind::kLowest ? ".lowest" : ".highest";
  if (const auto said = lookup.find(labels)) {
    tested.state = state_of(is_word_right(test, said->word, lookup));
    tested.figure = said->word;
    return tested;
  }
  return without(*field.first_without);
}

Tested find_same(const Test& test, Lookup& lookup) {
  Tested tested;
  std::vector<Cell> cells;
  for (const auto& operand : test.operands) {
    const Labels labels = lookup.resolve(operand.labels);
    const auto cell = lookup.find(labels);
    if (!cell) {
      tested.reason = fmt::format("no {}", to_string(labels));
      return tested;
    }
    cells.push_back(*cell);
  }
  if (!cells[0].samples.empty() && !cells[1].samples.empty()) {
    const Number a = number_of(test.operands[0], test.stat, lookup);
    const Number b = number_of(test.operands[1], test.stat, lookup);
    tested.state = state_of(!is_less(a, b) && !is_less(b, a));
    tested.figure = fmt::format("{}, {}", figure_text(a.value), figure_text(b.value));
    return tested;
  }
  tested.state = state_of(cells[0].samples.empty() == cells[1].samples.empty() &&
                          cells[0].word == cells[1].word);
  tested.figure = cells[0].word == cells[1].word
                      ? cells[0].word
                      : fmt::format("{}, {}", cells[0].word, cells[1].word);
  return tested;
}

}  // namespace

Labels Lookup::resolve(const Labels& labels) const {
  Labels resolved;
  for (const auto& [name, value] : merged(point_, labels)) {
    if (!name.starts_with('$')) {
      resolved.emplace(name, substitute(value));
    }
  }
  return resolved;
}

std::optional<Cell> Lookup::find(const Labels& resolved) {
  for (const auto& cell : cells_.find(resolved)) {
    for (const auto& [name, value] : cell.condition) {
      conditions_[name].insert(value);
    }
    const bool is_chosen = std::ranges::all_of(cell.condition, [&](const auto& entry) {
      const auto chosen = condition_.find(entry.first);
      return chosen != condition_.end() && chosen->second == entry.second;
    });
    if (is_chosen) {
      found_any_ = true;
      if (!cell.source.empty()) {
        sources_.insert(cell.source);
      }
      return cell;
    }
  }
  return std::nullopt;
}

Result<Tested> find_out(const Test& test, Lookup& lookup) {
  switch (test.kind) {
    case TestKind::kValue:
      return find_value(test, lookup);
    case TestKind::kRatio:
    case TestKind::kDifference: {
      const auto kind =
          test.kind == TestKind::kRatio ? Expression::Kind::kRatio : Expression::Kind::kDifference;
      return find_number(test, number_of({kind, {}, test.operands}, test.stat, lookup));
    }
    case TestKind::kRising:
      return find_rising(test, lookup);
    case TestKind::kRange:
    case TestKind::kFactor:
      return find_spread(test, lookup);
    case TestKind::kLowest:
    case TestKind::kHighest:
      return find_extreme(test, lookup);
    case TestKind::kDiffers:
    case TestKind::kAlike:
      return find_significance(test, lookup);
    case TestKind::kSame:
      break;
  }
  return find_same(test, lookup);
}

std::string figure_text(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace crossbind::claims
