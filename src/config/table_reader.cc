#include "config/table_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace crossbind::config {
namespace {

constexpr size_t kLongestQuote = 60;

std::string quote(std::string_view text) {
  const bool is_long = text.size() > kLongestQuote;
  return fmt::format("{:?}{}", text.substr(0, kLongestQuote), is_long ? "..." : "");
}

// A value as errors show it.
std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return quote(text->get());
  }
  if (const auto* integer = node.as_integer()) {
    return std::to_string(integer->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return fmt::format("{}", number->get());
  }
  if (const auto* boolean = node.as_boolean()) {
    return boolean->get() ? "true" : "false";
  }
  if (const auto* array = node.as_array()) {
    return fmt::format("an array of {}", array->size());
  }
  return node.is_table() ? "a table" : "a date or time";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string candidate = nearest(word, candidates);
  return candidate.empty() ? "" : fmt::format("Did you mean '{}'?", candidate);
}

std::string integer_words(int64_t least, bool has_sizes) {
  return fmt::format("an integer from {} to {}{}",
                     least,
                     kMaximumDimension,
                     has_sizes ? ", or \"$name\" of [sizes]" : "");
}

}  // namespace

Result<toml::table> parse(std::string_view text, const std::string& place) {
  try {
    return toml::parse(text, place);
  } catch (const toml::parse_error& error) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                fmt::format("is not TOML: {}", error.description()),
                                fmt::format("{}:{}", place, error.source().begin.line),
                                {}});
  }
}

std::string place_of(const Document& document, const toml::node& node) {
  return fmt::format("{}:{}", document.place, std::max<uint32_t>(node.source().begin.line, 1));
}

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  bool after_letter = false;
  for (const char c : name) {
    if (!is_letter(c) && (c != '.' || !after_letter)) {
      return false;
    }
    after_letter = c != '.';
  }
  return after_letter;
}

bool TableReader::has(std::string_view key) {
  if (known_set_.emplace(key).second) {
    known_.emplace_back(key);
  }
  return table_.contains(key);
}

const toml::node* TableReader::want(std::string_view key, std::string_view expected) {
  if (has(key)) {
    return table_.get(key);
  }
  remember(table_, fmt::format("'{}' is missing, expected {}", key, expected));
  return nullptr;
}

int64_t TableReader::integer(std::string_view key, int64_t least) {
  const std::string words = integer_words(least, !document_.sizes.empty());
  const auto* node = want(key, words);
  return node == nullptr ? least : integer_of(key, *node, least, words).value_or(least);
}

std::optional<int64_t> TableReader::integer_of(std::string_view key,
                                               const toml::node& node,
                                               int64_t least,
                                               std::string_view expected) {
  std::optional<int64_t> value;
  if (const auto* integer = node.as_integer()) {
    value = integer->get();
  } else if (const auto* text = node.as_string(); text != nullptr && text->get().starts_with('$')) {
    const auto size = document_.sizes.find(std::string_view(text->get()).substr(1));
    if (size == document_.sizes.end()) {
      std::vector<std::string> sizes;
      for (const auto& [name, unused] : document_.sizes) {
        sizes.push_back("$" + name);
      }
      remember(node,
               fmt::format("'{}' is {}, expected a name of [sizes]", key, quote(text->get())),
               did_you_mean(text->get(), sizes));
      return std::nullopt;
    }
    value = size->second;
  }
  if (!value || *value < least || *value > kMaximumDimension) {
    complain_of(key, node, expected);
    return std::nullopt;
  }
  return value;
}

std::vector<int64_t> TableReader::integers(std::string_view key,
                                           size_t count,
                                           int64_t least,
                                           std::string_view words) {
  std::vector<int64_t> values(count, least);
  const auto* node = want(key, words);
  if (node == nullptr) {
    return values;
  }
  const auto* array = node->as_array();
  if (array == nullptr) {
    values.assign(count, integer_of(key, *node, least, words).value_or(least));
  } else if (array->size() != count) {
    complain_of(key, *node, words);
  } else {
    for (size_t i = 0; i < count; ++i) {
      values[i] = integer_of(key, *array->get(i), least, words).value_or(least);
    }
  }
  return values;
}

std::vector<int64_t> TableReader::shape(std::string_view key, size_t most) {
  const std::string words = fmt::format("an array of 1 to {} integers of at least 1", most);
  std::vector<int64_t> values;
  const auto* node = want(key, words);
  if (node == nullptr) {
    return values;
  }
  const auto* array = node->as_array();
  if (array == nullptr || array->empty() || array->size() > most) {
    complain_of(key, *node, words);
    return values;
  }
  for (const auto& element : *array) {
    values.push_back(integer_of(key, element, 1, words).value_or(1));
  }
  return values;
}

double TableReader::number(std::string_view key, const Interval& interval) {
  const auto* node = want(key, interval.words);
  if (node == nullptr) {
    return 0;
  }
  double value = std::nan("");
  if (const auto* floating = node->as_floating_point()) {
    value = floating->get();
  } else if (const auto* integer = node->as_integer()) {
    value = static_cast<double>(integer->get());
  }
  if (!std::isfinite(value) || !interval.holds(value)) {
    complain_of(key, *node, interval.words);
    return 0;
  }
  return value;
}

bool TableReader::boolean(std::string_view key) {
  constexpr std::string_view kWords = "true or false";
  const auto* node = want(key, kWords);
  if (node != nullptr && !node->is_boolean()) {
    complain_of(key, *node, kWords);
  }
  return node != nullptr && node->is_boolean() && node->as_boolean()->get();
}

std::string TableReader::text(std::string_view key) {
  constexpr std::string_view kWords = "a string that is not empty";
  const auto* node = want(key, kWords);
  if (node == nullptr) {
    return {};
  }
  const auto* value = node->as_string();
  if (value == nullptr || value->get().empty()) {
    complain_of(key, *node, kWords);
    return {};
  }
  return value->get();
}

std::optional<std::string> TableReader::optional_text(std::string_view key) {
  const auto* value = has(key) ? table_.get(key)->as_string() : nullptr;
  return value == nullptr ? std::nullopt : std::optional(value->get());
}

std::string TableReader::name(std::string_view key) {
  std::string value = text(key);
  if (!value.empty() && !is_name(value)) {
    complain(key, "letters, digits, '_' and '-', with dots between them");
  }
  return value;
}

std::vector<std::string> TableReader::texts(std::string_view key, size_t most) {
  const std::string words = fmt::format("a name, or an array of 1 to {} names", most);
  const auto* node = want(key, words);
  if (node == nullptr) {
    return {};
  }
  if (const auto* text = node->as_string()) {
    return {text->get()};
  }
  std::vector<std::string> values;
  const auto* array = node->as_array();
  if (array != nullptr && !array->empty() && array->size() <= most) {
    for (const auto& element : *array) {
      if (const auto* text = element.as_string()) {
        values.push_back(text->get());
      }
    }
  }
  if (array == nullptr || values.empty() || values.size() != array->size()) {
    complain_of(key, *node, words);
  }
  return values;
}

std::vector<std::string> TableReader::strings(std::string_view key, size_t least) {
  const std::string words = least == 0 ? std::string("an array of strings")
                                       : fmt::format("an array of at least {} string(s)", least);
  const auto* node = want(key, words);
  if (node == nullptr) {
    return {};
  }
  const auto* array = node->as_array();
  if (array == nullptr || array->size() < least) {
    complain_of(key, *node, words);
    return {};
  }
  std::vector<std::string> values;
  for (const auto& element : *array) {
    const auto* text = element.as_string();
    if (text == nullptr || text->get().empty()) {
      remember(
          element,
          fmt::format("'{}' has {}, expected strings that are not empty", key, describe(element)));
      return {};
    }
    values.push_back(text->get());
  }
  return values;
}

std::vector<std::string> TableReader::words(std::string_view key,
                                            const std::vector<std::string>& allowed) {
  std::vector<std::string> values = strings(key, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(i);
    const toml::node& element = *table_.get(key)->as_array()->get(i);
    if (std::ranges::find(allowed, values[i]) == allowed.end()) {
      remember(element,
               fmt::format("'{}' has {}, expected only \"{}\"",
                           key,
                           quote(values[i]),
                           fmt::join(allowed, "\", \"")),
               did_you_mean(values[i], allowed));
      return {};
    }
    if (std::find(values.begin(), end, values[i]) != end) {
      remember(element, fmt::format("'{}' has {} twice", key, quote(values[i])));
      return {};
    }
  }
  return values;
}

const toml::table* TableReader::table(std::string_view key) {
  const auto* node = want(key, "a table");
  if (node != nullptr && !node->is_table()) {
    complain_of(key, *node, "a table");
  }
  return node == nullptr ? nullptr : node->as_table();
}

const toml::array* TableReader::array(std::string_view key) {
  constexpr std::string_view kWords = "an array of at least one table";
  const auto* node = want(key, kWords);
  const auto* value = node == nullptr ? nullptr : node->as_array();
  if (node != nullptr && (value == nullptr || value->empty())) {
    complain_of(key, *node, kWords);
  }
  return value;
}

size_t TableReader::word(std::string_view key, const std::vector<std::string>& words) {
  const std::string expected = fmt::format("one of \"{}\"", fmt::join(words, "\", \""));
  const auto* node = want(key, expected);
  if (node == nullptr) {
    return 0;
  }
  const auto* text = node->as_string();
  const auto found = text == nullptr ? words.end() : std::ranges::find(words, text->get());
  if (found == words.end()) {
    remember(*node,
             fmt::format("'{}' is {}, expected {}", key, describe(*node), expected),
             text == nullptr ? "" : did_you_mean(text->get(), words));
    return 0;
  }
  return static_cast<size_t>(found - words.begin());
}

void TableReader::remember(const toml::node& node, std::string message, std::string hint) {
  if (!error_) {
    error_ = error_at(place_of(document_, node), std::move(message), std::move(hint));
  }
}

void TableReader::complain(std::string_view key, std::string_view expected) {
  if (const auto* node = table_.get(key)) {
    complain_of(key, *node, expected);
  } else {
    remember(table_, fmt::format("'{}' is missing, expected {}", key, expected));
  }
}

void TableReader::complain_of(std::string_view key,
                              const toml::node& node,
                              std::string_view expected) {
  remember(node, fmt::format("'{}' is {}, expected {}", key, describe(node), expected));
}

Error TableReader::error_at(std::string place, std::string message, std::string hint) const {
  return {ErrorKind::kInvalid,
          subject_.empty() ? std::move(message) : fmt::format("{}: {}", subject_, message),
          std::move(place),
          std::move(hint)};
}

Error TableReader::error(std::string message) const {
  return error_at(place_of(document_, table_), std::move(message), {});
}

Status TableReader::finish() const {
  for (const auto& [key, node] : table_) {
    if (!accepts_rest_ && !known_set_.contains(key.str())) {
      return tl::unexpected(error_at(place_of(document_, node),
                                     fmt::format("unknown key {}, expected {}{}",
                                                 quote(key.str()),
                                                 known_.empty() ? "none" : "one of: ",
                                                 fmt::join(known_, ", ")),
                                     did_you_mean(key.str(), known_)));
    }
  }
  if (error_) {
    return tl::unexpected(*error_);
  }
  return {};
}

}  // namespace crossbind::config
