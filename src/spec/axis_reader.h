// The arrays of a study, each an axis of its matrix: never empty, no value twice. Unlike
// config::TableReader it returns the first error, at the line of the value that is wrong.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named.h"
#include "config/table_reader.h"

namespace crossbind::spec {

[[nodiscard]] Error error_at(const config::Document& document,
                             const toml::node& node,
                             std::string message,
                             std::string hint = {});

class AxisReader {
 public:
  // The table and the document must outlive the reader.
  AxisReader(const toml::table& table, const config::Document& document)
      : table_(table),
        document_(document) {}

  // `fallback` is what a missing key stands for; an empty one makes the key necessary.
  template <typename T>
  [[nodiscard]] Result<std::vector<T>> choices(std::string_view key,
                                               std::span<const Named<T>> values,
                                               std::vector<T> fallback) const {
    if (!table_.contains(key) && !fallback.empty()) {
      return fallback;
    }
    std::vector<std::string> words;
    for (const auto& value : values) {
      words.emplace_back(value.name);
    }
    CB_ASSIGN(const std::vector<size_t> indices, words_of(key, words));
    std::vector<T> chosen;
    chosen.reserve(indices.size());
    for (const size_t index : indices) {
      chosen.push_back(values[index].value);
    }
    return chosen;
  }

  // Texts for which `is_valid` holds; `expected` describes them.
  [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view key,
                                                       bool (*is_valid)(std::string_view),
                                                       std::string_view expected,
                                                       std::vector<std::string> fallback) const;
  [[nodiscard]] Result<std::vector<uint32_t>> seeds(std::string_view key) const;
  // One seed; 0 when the key is missing.
  [[nodiscard]] Result<uint32_t> seed(std::string_view key) const;

 private:
  [[nodiscard]] Result<const toml::array*> array(std::string_view key,
                                                 std::string_view expected) const;
  [[nodiscard]] Result<std::vector<size_t>> words_of(std::string_view key,
                                                     const std::vector<std::string>& words) const;

  const toml::table& table_;
  const config::Document& document_;
};

}  // namespace crossbind::spec
