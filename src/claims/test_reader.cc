#include "claims/test_reader.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace crossbind::claims {
namespace {

using config::TableReader;

tl::unexpected<Error> wrong(const Where& where, const toml::node& node, std::string message) {
  return tl::unexpected(Error{ErrorKind::kInvalid,
                              fmt::format("{}: {}", where.subject, message),
                              config::place_of(where.document, node),
                              {}});
}

bool is_label(std::string_view name) {
  return config::is_name(name.substr(name.starts_with('$') ? 1 : 0));
}

// A word, or an integer as one.
Result<std::string> read_word(const toml::node& node, std::string_view key, const Where& where) {
  if (const auto* text = node.as_string(); text != nullptr && !text->get().empty()) {
    return text->get();
  }
  if (const auto* integer = node.as_integer()) {
    return std::to_string(integer->get());
  }
  return wrong(where, node, fmt::format("'{}' is neither a word nor an integer", key));
}

Result<Grid::LabelValues> read_label_values(const toml::table& table, const Where& where) {
  Grid::LabelValues part;
  for (const auto& [key, node] : table) {
    if (!is_label(key.str())) {
      return wrong(where, node, fmt::format("'{}' is no name of a label", key.str()));
    }
    auto& values = part[std::string(key.str())];
    const auto* array = node.as_array();
    if (array == nullptr) {
      CB_ASSIGN(std::string word, read_word(node, key.str(), where));
      values.push_back(std::move(word));
      continue;
    }
    if (array->empty()) {
      return wrong(where, node, fmt::format("'{}' is empty", key.str()));
    }
    for (const auto& element : *array) {
      CB_ASSIGN(std::string word, read_word(element, key.str(), where));
      if (std::ranges::find(values, word) != values.end()) {
        return wrong(where, element, fmt::format("'{}' has \"{}\" twice", key.str(), word));
      }
      values.push_back(std::move(word));
    }
  }
  return part;
}

Result<Labels> labels_of(const toml::table& table, const Where& where) {
  CB_ASSIGN(const auto part, read_label_values(table, where));
  Labels labels;
  for (const auto& [name, values] : part) {
    if (values.size() != 1) {
      return wrong(where,
                   *table.get(name),
                   fmt::format("'{}' has several values; put them into 'each' or 'some'", name));
    }
    labels[name] = values.front();
  }
  return labels;
}

Result<Expression> read_expression(const toml::node& node, const Where& where);

Result<std::vector<Expression>> read_operands(const toml::node& node,
                                              std::string_view key,
                                              size_t least,
                                              const Where& where) {
  const auto* array = node.as_array();
  if (array == nullptr || array->size() < least ||
      (least == 2 && key != "rising" && array->size() > 2)) {
    return wrong(
        where,
        node,
        fmt::format(
            "'{}' needs an array of {} cells", key, key == "rising" ? "two or more" : "two"));
  }
  std::vector<Expression> operands;
  for (const auto& element : *array) {
    CB_ASSIGN(auto operand, read_expression(element, where));
    operands.push_back(std::move(operand));
  }
  return operands;
}

Result<Expression> read_expression(const toml::node& node, const Where& where) {
  using Kind = Expression::Kind;
  const auto* table = node.as_table();
  if (table == nullptr) {
    return wrong(where, node, "a cell is a table of labels, as { binding = \"python\" }");
  }
  for (const auto& [name, kind] :
       {std::pair{"ratio", Kind::kRatio}, {"difference", Kind::kDifference}}) {
    if (const auto* operands = table->get(name)) {
      if (table->size() != 1) {
        return wrong(where, node, fmt::format("'{}' stands alone in its table", name));
      }
      CB_ASSIGN(auto read, read_operands(*operands, name, 2, where));
      return Expression{kind, {}, std::move(read)};
    }
  }
  CB_ASSIGN(auto labels, labels_of(*table, where));
  return Expression{Kind::kCell, std::move(labels), {}};
}

std::optional<double> read_bound(TableReader& reader, std::string_view key) {
  return reader.has(key) ? std::optional(reader.number(key, config::kFinite)) : std::nullopt;
}

Bounds read_bounds(TableReader& reader) {
  return {.above = read_bound(reader, "above"),
          .at_least = read_bound(reader, "at_least"),
          .at_most = read_bound(reader, "at_most"),
          .below = read_bound(reader, "below")};
}

std::vector<std::string> read_words(TableReader& reader, std::string_view key) {
  constexpr size_t kMost = 100;
  return reader.has(key) ? reader.texts(key, kMost) : std::vector<std::string>();
}

bool has_bound(const Bounds& bounds) {
  return bounds.above || bounds.at_least || bounds.at_most || bounds.below;
}

bool has_words(const Test& test) {
  return !test.is.empty() || !test.is_not.empty();
}

void read_stat(TableReader& reader, Test& test) {
  if (reader.has("stat")) {
    test.stat = reader.choice<Stat>("stat", kStats);
  }
}

Status read_significance(TableReader& reader,
                         const toml::table& table,
                         const Where& where,
                         Test& test) {
  if (reader.has("alpha")) {
    test.alpha = reader.number("alpha", config::kBelowOne);
  }
  if (test.kind == TestKind::kDiffers && reader.has("effect")) {
    test.effect = reader.choice<stats::Magnitude>("effect", kEffects);
  }
  CB_ASSIGN(test.family, read_grid(reader, table, "family", where));
  return {};
}

// What a kind has beside its cells; what it has not is an unknown key.
Status read_terms(TableReader& reader, const toml::table& table, const Where& where, Test& test) {
  switch (test.kind) {
    case TestKind::kValue:
      test.is = read_words(reader, "is");
      test.is_not = read_words(reader, "is_not");
      [[fallthrough]];
    case TestKind::kRatio:
    case TestKind::kDifference:
    case TestKind::kRange:
    case TestKind::kFactor:
      test.bounds = read_bounds(reader);
      if (has_bound(test.bounds) == has_words(test)) {
        return tl::unexpected(reader.error(
            fmt::format("the {} needs above, at_least, at_most or below{}",
                        name_in(kTestKinds, test.kind),
                        test.kind == TestKind::kValue ? ", or else is or is_not" : "")));
      }
      [[fallthrough]];
    case TestKind::kRising:
      read_stat(reader, test);
      break;
    case TestKind::kLowest:
    case TestKind::kHighest:
      test.is = read_words(reader, "is");
      test.is_not = read_words(reader, "is_not");
      if (test.is.empty() == test.is_not.empty()) {
        return tl::unexpected(
            reader.error(fmt::format("the {} needs is or is_not", name_in(kTestKinds, test.kind))));
      }
      read_stat(reader, test);
      break;
    case TestKind::kDiffers:
    case TestKind::kAlike:
      return read_significance(reader, table, where, test);
    case TestKind::kSame:
      break;
  }
  return {};
}

bool compares_among(TestKind kind) {
  return kind == TestKind::kRange || kind == TestKind::kFactor || kind == TestKind::kLowest ||
         kind == TestKind::kHighest;
}

bool takes_cells_only(const Test& test) {
  return compares_among(test.kind) || has_words(test) || test.kind == TestKind::kDiffers ||
         test.kind == TestKind::kAlike || test.kind == TestKind::kSame;
}

// Why there is none; a misspelt one is called that.
Error no_test(TableReader& reader) {
  for (const auto* key : {"above",
                          "at_least",
                          "at_most",
                          "below",
                          "is",
                          "is_not",
                          "stat",
                          "among",
                          "alpha",
                          "effect",
                          "family",
                          "also"}) {
    static_cast<void>(reader.has(key));
  }
  if (auto finished = reader.finish(); !finished) {
    return std::move(finished).error();
  }
  return reader.error("there is no test, such as value, ratio or differs");
}

// What the test is made on; `name` is its key in the table.
Status read_subject(TableReader& reader,
                    const toml::table& table,
                    std::string_view name,
                    const Where& where,
                    Test& test) {
  const toml::node& node = *table.get(name);
  if (test.kind != TestKind::kValue && !compares_among(test.kind)) {
    CB_ASSIGN(test.operands, read_operands(node, name, 2, where));
    return {};
  }
  CB_ASSIGN(auto operand, read_expression(node, where));
  test.operands.push_back(std::move(operand));
  if (compares_among(test.kind)) {
    CB_ASSIGN(test.among, read_grid(reader, table, "among", where));
    if (test.among.points().size() < 2) {
      return wrong(
          where, node, fmt::format("'{}' needs 'among', labels with two values or more", name));
    }
  }
  return {};
}

}  // namespace

Result<Grid> read_grid(TableReader& reader,
                       const toml::table& table,
                       std::string_view key,
                       const Where& where) {
  Grid grid;
  if (!reader.has(key)) {
    return grid;
  }
  const toml::node& node = *table.get(key);
  if (const auto* one = node.as_table()) {
    CB_ASSIGN(auto part, read_label_values(*one, where));
    grid.parts.push_back(std::move(part));
    return grid;
  }
  const auto* several = node.as_array();
  if (several == nullptr || several->empty()) {
    return wrong(
        where, node, fmt::format("'{}' needs a table of labels, or an array of them", key));
  }
  for (const auto& element : *several) {
    const auto* one = element.as_table();
    if (one == nullptr) {
      return wrong(
          where, element, fmt::format("'{}' needs a table of labels, or an array of them", key));
    }
    CB_ASSIGN(auto part, read_label_values(*one, where));
    grid.parts.push_back(std::move(part));
  }
  return grid;
}

Result<Labels> read_labels(TableReader& reader,
                           const toml::table& table,
                           std::string_view key,
                           const Where& where) {
  if (!reader.has(key)) {
    return Labels{};
  }
  const auto* labels = table.get(key)->as_table();
  if (labels == nullptr) {
    return wrong(where, *table.get(key), fmt::format("'{}' needs a table of labels", key));
  }
  return labels_of(*labels, where);
}

Result<Test> read_test(TableReader& reader, const toml::table& table, const Where& where) {
  std::vector<std::string_view> kinds;
  Test test;
  for (const auto& [name, kind] : kTestKinds) {
    if (reader.has(name)) {
      kinds.push_back(name);
      test.kind = kind;
    }
  }
  if (kinds.empty()) {
    return tl::unexpected(no_test(reader));
  }
  if (kinds.size() > 1) {
    return tl::unexpected(reader.error(fmt::format(
        "{} are {} tests; put all but one into 'also'", fmt::join(kinds, " and "), kinds.size())));
  }
  CB_TRY(read_subject(reader, table, kinds.front(), where, test));
  CB_TRY(read_terms(reader, table, where, test));
  if (takes_cells_only(test) && std::ranges::any_of(test.operands, [](const Expression& operand) {
        return operand.kind != Expression::Kind::kCell;
      })) {
    return wrong(
        where,
        *table.get(kinds.front()),
        fmt::format("'{}' is asked of cells, not of a ratio or difference", kinds.front()));
  }
  return test;
}

}  // namespace crossbind::claims
