// The members of one message, read one by one. A wrong one is remembered, not returned: reads go on
// with a harmless value, and finish() reports the first.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named.h"
#include "protocol/messages.h"

namespace crossbind::protocol {

using Json = nlohmann::ordered_json;

class Members {
 public:
  // `subject` opens the errors: "'epoch' message". The object must outlive the reader.
  Members(const Json& object, std::string subject)
      : object_(object),
        subject_(std::move(subject)) {}

  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }

  int64_t integer(const char* key, int64_t least = 0);
  std::optional<int64_t> optional_integer(const char* key, int64_t least = 0);
  double number(const char* key);
  std::optional<double> optional_number(const char* key);
  bool boolean(const char* key);
  std::string text(const char* key);
  std::string optional_text(const char* key);
  std::filesystem::path path(const char* key) { return text(key); }
  std::optional<std::filesystem::path> optional_path(const char* key);
  std::vector<std::string> texts(const char* key);
  std::vector<std::string> optional_texts(const char* key);
  std::vector<int64_t> optional_integers(const char* key);
  Texts optional_map(const char* key);  // values that are no texts become their JSON
  const Json& object(const char* key);

  template <typename T, size_t N>
  T word(const char* key, const std::array<Named<T>, N>& names) {
    return word_of(key, text(key), names);
  }
  template <typename T, size_t N>
  std::vector<T> words(const char* key, const std::array<Named<T>, N>& names) {
    std::vector<T> values;
    for (const std::string& name : texts(key)) {
      values.push_back(word_of(key, name, names));
    }
    return values;
  }

  void complain(const char* key, std::string_view expected);
  void adopt(const Members& inner) { error_ = error_ ? error_ : inner.error_; }
  [[nodiscard]] Status finish() const;

 private:
  template <typename T, size_t N>
  T word_of(const char* key, const std::string& name, const std::array<Named<T>, N>& names) {
    const auto value = value_in(names, name);
    if (!value) {
      std::string known;
      for (const auto& entry : names) {
        known += fmt::format("{}\"{}\"", known.empty() ? "one of " : ", ", entry.name);
      }
      complain(key, known);
    }
    return value.value_or(names.front().value);
  }
  const Json* want(const char* key, std::string_view expected);

  const Json& object_;
  std::string subject_;
  std::optional<Error> error_;
};

}  // namespace crossbind::protocol
