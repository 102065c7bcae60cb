#include "stats/answers.h"

#include <algorithm>
#include <map>
#include <vector>

namespace crossbind::stats {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool in_range(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

// The next character of the text, which is not empty, and its length in bytes.
std::pair<char32_t, size_t> first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return {kReplacement, 1};
  }
  char32_t c = lead & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return {kReplacement, 1};
    }
    c = (c << 6U) | (byte(i) & 0x3FU);
  }
  return {c, length};
}

void append(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
    return;
  }
  if (c < 0x800) {
    put(0xC0U | (c >> 6U));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
  }
  put(0x80U | (c & 0x3FU));
}

char32_t lower(char32_t c) {
  const bool shifted_by_32 = in_range(c, U'A', U'Z') ||
                             (in_range(c, 0xC0, 0xDE) && c != 0xD7) ||     // Latin-1
                             (in_range(c, 0x391, 0x3A9) && c != 0x3A2) ||  // Greek
                             in_range(c, 0x410, 0x42F);                    // Cyrillic
  if (shifted_by_32) {
    return c + 32;
  }
  if (in_range(c, 0x400, 0x40F)) {
    return c + 80;
  }
  if (c == 0x178) {
    return 0xFF;  // Y with a diaeresis
  }
  // Latin Extended-A, in pairs of upper and lower case.
  const bool even_is_upper = (in_range(c, 0x100, 0x137) && c != 0x130) || in_range(c, 0x14A, 0x177);
  const bool odd_is_upper = in_range(c, 0x139, 0x148) || in_range(c, 0x179, 0x17E);
  if (even_is_upper) {
    return c | 1U;
  }
  return odd_is_upper && c % 2 == 1 ? c + 1 : c;
}

bool is_punctuation(char32_t c) {
  return in_range(c, U'!', U'/') || in_range(c, U':', U'@') || in_range(c, U'[', U'`') ||
         in_range(c, U'{', U'~');
}

bool is_space(char32_t c) {
  return in_range(c, 0x09, 0x0D) || in_range(c, 0x1C, 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || in_range(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// Whether a character is a part of words: letters and digits are. Of those beyond ASCII, spaces,
// signs of Latin-1, general punctuation, currencies, mathematical operators, and the punctuation of
// East Asian scripts are not.
bool is_word(char32_t c) {
  if (c < 0x80) {
    return in_range(c, U'0', U'9') || in_range(c, U'a', U'z') || in_range(c, U'A', U'Z');
  }
  const bool latin_sign = c < 0xC0 && c != 0xAA && c != 0xB5 && c != 0xBA && c != 0xB2 &&
                          c != 0xB3 && c != 0xB9 && !in_range(c, 0xBC, 0xBE);
  return !(is_space(c) || latin_sign || c == 0xD7 || c == 0xF7 || in_range(c, 0x2010, 0x206F) ||
           in_range(c, 0x20A0, 0x20CF) || in_range(c, 0x2190, 0x23FF) ||
           in_range(c, 0x3001, 0x3004) || in_range(c, 0x3008, 0x3020) || c == kReplacement);
}

bool is_article(std::u32string_view word) {
  return word == U"a" || word == U"an" || word == U"the";
}

// Lower case, no punctuation.
std::u32string simplified(std::string_view text) {
  std::u32string simple;
  while (!text.empty()) {
    const auto [c, length] = first_character(text);
    text.remove_prefix(length);
    if (!is_punctuation(c)) {
      simple.push_back(lower(c));
    }
  }
  return simple;
}

// Every article between two boundaries of words becomes a space.
std::u32string without_articles(const std::u32string& text) {
  std::u32string rest;
  for (size_t begin = 0; begin < text.size();) {
    const bool word = is_word(text[begin]);
    size_t end = begin;
    while (end < text.size() && is_word(text[end]) == word) {
      ++end;
    }
    const auto run = std::u32string_view(text).substr(begin, end - begin);
    rest += word && is_article(run) ? std::u32string_view(U" ") : run;
    begin = end;
  }
  return rest;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char32_t c : without_articles(simplified(text))) {
    if (is_space(c)) {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
    }
    inside = true;
    append(words.back(), c);
  }
  return words;
}

double f1(const std::vector<std::string>& predicted, const std::vector<std::string>& right) {
  std::map<std::string_view, int64_t> left;
  for (const auto& word : right) {
    ++left[word];
  }
  int64_t shared = 0;
  for (const auto& word : predicted) {
    shared += --left[word] >= 0 ? 1 : 0;
  }
  if (shared == 0) {
    return 0;
  }
  return 2 * static_cast<double>(shared) / static_cast<double>(predicted.size() + right.size());
}

Status check_any(std::span<const std::string> right) {
  if (right.empty()) {
    return fail(ErrorKind::kInvalid, "a question without a right answer cannot be judged");
  }
  return {};
}

}  // namespace

std::string normalised_answer(std::string_view text) {
  std::string joined;
  for (const auto& word : words_of(text)) {
    joined += joined.empty() ? word : " " + word;
  }
  return joined;
}

Result<double> exact_match(std::string_view prediction, std::span<const std::string> right) {
  CB_TRY(check_any(right));
  const auto words = words_of(prediction);
  const bool found =
      std::ranges::any_of(right, [&](const auto& answer) { return words_of(answer) == words; });
  return found ? 1 : 0;
}

Result<double> answer_f1(std::string_view prediction, std::span<const std::string> right) {
  CB_TRY(check_any(right));
  const auto words = words_of(prediction);
  double best = 0;
  for (const auto& answer : right) {
    best = std::max(best, f1(words, words_of(answer)));
  }
  return best;
}

}  // namespace crossbind::stats
