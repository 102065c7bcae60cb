#include "report/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace crossbind::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kDelete = 0x7f;

// How many bytes of UTF-8 a character has that begins with this one; 0 for none.
size_t length_of(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first < 0xe0) {
    return 2;
  }
  if (first >= 0xe0 && first < 0xf0) {
    return 3;
  }
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Not overlong, no surrogate, no more than U+10FFFF, none of the C1 controls.
bool is_character(std::string_view bytes) {
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0xa0, 0x800, 0x10000};
  uint32_t code = static_cast<unsigned char>(bytes[0]) & (0xffU >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) != 0x80) {
      return false;
    }
    code = (code << 6U) | (byte & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  const bool is_noncharacter = (code & 0xfffeU) == 0xfffe || (code >= 0xfdd0 && code < 0xfdf0);
  return code >= kLeast[bytes.size()] && code <= 0x10ffff && !is_surrogate && !is_noncharacter;
}

// The end of a terminal's control sequence (ESC [ ... letter) that begins at `place`.
size_t end_of_sequence(std::string_view bytes, size_t place) {
  if (place + 1 >= bytes.size() || bytes[place + 1] != '[') {
    return place + 1;
  }
  const auto is_final = [](char c) { return c >= '@' && c <= '~'; };
  const auto* const end = std::find_if(bytes.begin() + place + 2, bytes.end(), is_final);
  return end == bytes.end() ? bytes.size() : static_cast<size_t>(end - bytes.begin()) + 1;
}

}  // namespace

std::string plain_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t place = 0; place < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[place]);
    const size_t length = length_of(first);
    if (first == kEscape) {
      place = end_of_sequence(bytes, place);
    } else if (length == 1) {
      if ((first >= ' ' && first != kDelete) || first == '\n' || first == '\t') {
        text += bytes[place];
      }
      ++place;
    } else if (length > 1 && place + length <= bytes.size() &&
               is_character(bytes.substr(place, length))) {
      text += bytes.substr(place, length);
      place += length;
    } else {
      text += kReplacement;
      ++place;
    }
  }
  return text;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace crossbind::report
