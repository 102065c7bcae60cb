// One table of a TOML file, read key by key. A wrong value is remembered, not returned: reads go
// on with a harmless value, and finish() reports what is wrong. Unknown keys come before all else,
// so that a misspelt key is called that and not a missing one. Knows TOML, but no subject.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named.h"

namespace crossbind::config {

inline constexpr int64_t kMaximumDimension = int64_t{1} << 31;

// What the readers of one file share.
struct Document {
  std::string place;                                  // the file's name in errors
  std::map<std::string, int64_t, std::less<>> sizes;  // what "$name" stands for
};

// The syntax alone. Errors name `place` and the line.
[[nodiscard]] Result<toml::table> parse(std::string_view text, const std::string& place);

// "file:line" of a node.
[[nodiscard]] std::string place_of(const Document& document, const toml::node& node);

// A condition on a number, and how errors call it.
struct Interval {
  bool (*holds)(double);
  std::string_view words;
};

inline constexpr Interval kFinite = {[](double) { return true; }, "a finite number"};
inline constexpr Interval kPositive = {[](double x) { return x > 0; }, "a number above 0"};
inline constexpr Interval kNotNegative = {[](double x) { return x >= 0; },
                                          "a number of at least 0"};
inline constexpr Interval kBelowOne = {[](double x) { return x >= 0 && x < 1; },
                                       "a number of at least 0 and below 1"};
inline constexpr Interval kUpToOne = {[](double x) { return x >= 0 && x <= 1; },
                                      "a number from 0 to 1"};

class TableReader {
 public:
  // `subject` opens every message: "layer 'conv1'", "[optimizer]", or "" for the whole file.
  // Table and document must outlive the reader.
  TableReader(const toml::table& table, std::string subject, const Document& document)
      : table_(table),
        subject_(std::move(subject)),
        document_(document) {}

  [[nodiscard]] bool has(std::string_view key);

  // An integer from `least` to kMaximumDimension, or "$name" of [sizes].
  int64_t integer(std::string_view key, int64_t least);
  // One integer, which counts for all, or an array of `count`; `words` describe it in errors.
  std::vector<int64_t> integers(std::string_view key,
                                size_t count,
                                int64_t least,
                                std::string_view words);
  // An array of 1 to `most` integers of at least 1.
  std::vector<int64_t> shape(std::string_view key, size_t most);
  double number(std::string_view key, const Interval& interval);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  // The string under a key; nothing when it is missing or no string, which is no error yet.
  std::optional<std::string> optional_text(std::string_view key);
  // Segments of letters, digits, '_' and '-' joined by dots.
  std::string name(std::string_view key);
  // One string, or an array of 1 to `most`.
  std::vector<std::string> texts(std::string_view key, size_t most);
  // An array of at least `least` strings, none of them empty.
  std::vector<std::string> strings(std::string_view key, size_t least);
  // An array of these words, each at most once; may be empty.
  std::vector<std::string> words(std::string_view key, const std::vector<std::string>& allowed);
  const toml::table* table(std::string_view key);
  const toml::array* array(std::string_view key);

  // The value that a word stands for; the first one's when it is none of them.
  template <typename T>
  T choice(std::string_view key, std::span<const Named<T>> values) {
    std::vector<std::string> words;
    for (const auto& value : values) {
      words.emplace_back(value.name);
    }
    return values[word(key, words)].value;
  }

  // The values that an array of words stands for.
  template <typename T>
  std::vector<T> choices(std::string_view key, std::span<const Named<T>> values) {
    std::vector<std::string> allowed;
    for (const auto& value : values) {
      allowed.emplace_back(value.name);
    }
    std::vector<T> chosen;
    for (const std::string& text : words(key, allowed)) {
      chosen.push_back(std::ranges::find(values, text, &Named<T>::name)->value);
    }
    return chosen;
  }

  // Remembers that the value of `key` is not what was expected.
  void complain(std::string_view key, std::string_view expected);
  // Takes every key for known: when what the table is about is itself unknown.
  void accept_rest() { accepts_rest_ = true; }

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // An error of this table, with its subject and place.
  [[nodiscard]] Error error(std::string message) const;
  [[nodiscard]] Status finish() const;

 private:
  const toml::node* want(std::string_view key, std::string_view expected);
  std::optional<int64_t> integer_of(std::string_view key,
                                    const toml::node& node,
                                    int64_t least,
                                    std::string_view expected);
  size_t word(std::string_view key, const std::vector<std::string>& words);
  void remember(const toml::node& node, std::string message, std::string hint = {});
  void complain_of(std::string_view key, const toml::node& node, std::string_view expected);
  [[nodiscard]] Error error_at(std::string place, std::string message, std::string hint) const;

  const toml::table& table_;
  std::string subject_;
  const Document& document_;
  std::vector<std::string> known_;  // in the order they were asked for
  std::set<std::string, std::less<>> known_set_;
  bool accepts_rest_ = false;
  std::optional<Error> error_;
};

// Whether a name is made of segments of letters, digits, '_' and '-' joined by dots.
[[nodiscard]] bool is_name(std::string_view name);

}  // namespace crossbind::config
