#include "spec/axis_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.h"

namespace crossbind::spec {
namespace {

constexpr std::string_view kSeedWords = "integers from 0 to 4294967295";

std::optional<uint32_t> seed_of(const toml::node& node) {
  const auto* integer = node.as_integer();
  if (integer == nullptr || integer->get() < 0 ||
      integer->get() > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(integer->get());
}

// Appends a value that is not there yet.
template <typename T>
Status add(std::vector<T>& values,
           T value,
           std::string_view key,
           const toml::node& node,
           const config::Document& document) {
  if (std::ranges::find(values, value) != values.end()) {
    return tl::unexpected(
        error_at(document, node, fmt::format("'{}' holds the same value twice", key)));
  }
  values.push_back(std::move(value));
  return {};
}

}  // namespace

Error error_at(const config::Document& document,
               const toml::node& node,
               std::string message,
               std::string hint) {
  return {
      ErrorKind::kInvalid, std::move(message), config::place_of(document, node), std::move(hint)};
}

Result<const toml::array*> AxisReader::array(std::string_view key,
                                             std::string_view expected) const {
  const auto* node = table_.get(key);
  if (node == nullptr) {
    return tl::unexpected(error_at(
        document_, table_, fmt::format("'{}' is missing, expected an array of {}", key, expected)));
  }
  const auto* array = node->as_array();
  if (array == nullptr || array->empty()) {
    return tl::unexpected(error_at(document_,
                                   *node,
                                   fmt::format("'{}' is {}, expected an array of {}",
                                               key,
                                               array == nullptr ? "no array" : "empty",
                                               expected)));
  }
  return array;
}

Result<std::vector<size_t>> AxisReader::words_of(std::string_view key,
                                                 const std::vector<std::string>& words) const {
  const std::string expected = fmt::format("\"{}\"", fmt::join(words, "\", \""));
  CB_ASSIGN(const toml::array* values, array(key, expected));
  std::vector<size_t> indices;
  for (const auto& node : *values) {
    const std::string text = node.value<std::string>().value_or("");
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
      const std::string near = nearest(text, words);
      return tl::unexpected(
          error_at(document_,
                   node,
                   fmt::format("'{}' holds {:?}, expected some of {}", key, text, expected),
                   near.empty() ? "" : fmt::format("Did you mean '{}'?", near)));
    }
    CB_TRY(add(indices, static_cast<size_t>(found - words.begin()), key, node, document_));
  }
  return indices;
}

Result<std::vector<std::string>> AxisReader::texts(std::string_view key,
                                                   bool (*is_valid)(std::string_view),
                                                   std::string_view expected,
                                                   std::vector<std::string> fallback) const {
  if (!table_.contains(key) && !fallback.empty()) {
    return fallback;
  }
  CB_ASSIGN(const toml::array* values, array(key, expected));
  std::vector<std::string> texts;
  for (const auto& node : *values) {
    std::string text = node.value<std::string>().value_or("");
    if (!is_valid(text)) {
      return tl::unexpected(error_at(
          document_, node, fmt::format("'{}' holds {:?}, expected {}", key, text, expected)));
    }
    CB_TRY(add(texts, std::move(text), key, node, document_));
  }
  return texts;
}

Result<std::vector<uint32_t>> AxisReader::seeds(std::string_view key) const {
  CB_ASSIGN(const toml::array* values, array(key, kSeedWords));
  std::vector<uint32_t> seeds;
  for (const auto& node : *values) {
    const auto seed = seed_of(node);
    if (!seed) {
      return tl::unexpected(error_at(
          document_, node, fmt::format("'{}' holds something else than {}", key, kSeedWords)));
    }
    CB_TRY(add(seeds, *seed, key, node, document_));
  }
  return seeds;
}

Result<uint32_t> AxisReader::seed(std::string_view key) const {
  const auto* node = table_.get(key);
  const auto seed = node == nullptr ? 0U : seed_of(*node);
  if (!seed) {
    return tl::unexpected(error_at(
        document_, *node, fmt::format("'{}' is wrong, expected one of the {}", key, kSeedWords)));
  }
  return *seed;
}

}  // namespace crossbind::spec
