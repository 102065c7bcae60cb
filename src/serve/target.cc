#include "serve/target.h"

#include <algorithm>
#include <charconv>

namespace crossbind::serve {
namespace {

constexpr size_t kEscape = 3;  // "%41"

// The byte that the escape at the beginning of the text stands for, if there is one.
std::optional<char> escaped(std::string_view text) {
  if (text.size() < kEscape || text.front() != '%') {
    return std::nullopt;
  }
  unsigned char byte = 0;
  const char* end = text.data() + kEscape;
  const auto [stopped, error] = std::from_chars(text.data() + 1, end, byte, 16);
  return error == std::errc() && stopped == end ? std::optional(static_cast<char>(byte))
                                                : std::nullopt;
}

std::string decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto byte = escaped(text);
    result += byte.value_or(text.front());
    text.remove_prefix(byte ? kEscape : 1);
  }
  return result;
}

// Forms write a space as a plus.
std::string decoded_word(std::string text) {
  std::ranges::replace(text, '+', ' ');
  return decoded(text);
}

// The text up to the separator, which is taken away with it.
std::string_view take_until(std::string_view& text, char separator) {
  const auto part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace

Target read_target(std::string_view text) {
  Target target;
  target.path = decoded(take_until(text, '?'));
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    const auto name = take_until(value, '=');
    if (!name.empty()) {
      target.query.push_back({decoded_word(std::string(name)), decoded_word(std::string(value))});
    }
  }
  return target;
}

}  // namespace crossbind::serve
