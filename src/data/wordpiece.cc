#include "data/wordpiece.h"

#include <array>

#include "data/source.h"

namespace crossbind::data {
namespace {

constexpr size_t kLongestWord = 100;  // as BERT: longer words are unknown
constexpr char32_t kInvalid = 0xFFFD;

struct CodePoint {
  char32_t value = kInvalid;
  size_t size = 1;
};

// Decodes one code point; overlong forms, surrogates and stray bytes give kInvalid, one byte long.
CodePoint decode(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - offset < size) {
    return {};
  }
  char32_t value = lead & (0x7FU >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {};
    }
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < kSmallest[size] || surrogate || value > 0x10FFFF) {
    return {};
  }
  return {value, size};
}

bool is_space(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_dropped(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD;
  const bool format = (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
                      (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
  const bool combining = c >= 0x300 && c <= 0x36F;
  return c == kInvalid || control || format || combining;
}

bool is_punctuation(char32_t c) {
  const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
                     (c >= 123 && c <= 126);
  const bool latin =
      c == 0xA1 || c == 0xA7 || c == 0xAB || c == 0xB6 || c == 0xB7 || c == 0xBB || c == 0xBF;
  const bool general = (c >= 0x2010 && c <= 0x2027) || (c >= 0x2030 && c <= 0x205E);
  const bool wide = (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011);
  return ascii || latin || general || wide;
}

// BERT sets Chinese characters apart, each its own word.
bool is_chinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x2CEAF);
}

// Lower case without accents, for ASCII and Latin-1; 0 when the letter has no such form.
char folded(char32_t c) {
  if (c < 0x80) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  // 0xC0 to 0xDF and, one row below, 0xE0 to 0xFF; '.' keeps the letter.
  constexpr std::string_view kBase = "aaaaaa.ceeeeiiii.nooooo..uuuuy..";
  if (c < 0xC0 || c > 0xFF) {
    return 0;
  }
  const char base = c == 0xFF ? 'y' : kBase[(c - 0xC0) % kBase.size()];
  return base == '.' ? '\0' : base;
}

}  // namespace

// A word in normal form; each of its bytes knows which bytes of the text it came from.
struct WordPiece::Word {
  std::string letters;
  std::vector<std::pair<size_t, size_t>> origin;

  void append(std::string_view text, size_t begin, CodePoint point) {
    char lower = folded(point.value);
    // Æ, Ð, Ø and Þ have a lower case but no accent: it lies 0x20 above, in the second byte.
    const bool capital = point.value >= 0xC0 && point.value <= 0xDE && point.value != 0xD7;
    if (lower != 0) {
      letters += lower;
      origin.emplace_back(begin, begin + point.size);
      return;
    }
    for (size_t i = 0; i < point.size; ++i) {
      letters += static_cast<char>(text[begin + i] + (capital && i == 1 ? 0x20 : 0));
      origin.emplace_back(begin, begin + point.size);
    }
  }

  void clear() {
    letters.clear();
    origin.clear();
  }
};

std::vector<size_t> code_points(std::string_view text) {
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); i += decode(text, i).size) {
    begins.push_back(i);
  }
  begins.push_back(text.size());
  return begins;
}

Result<WordPiece> WordPiece::parse(std::string_view vocabulary, const std::string& place) {
  WordPiece result;
  size_t begin = 0;
  for (int64_t line = 0; begin < vocabulary.size(); ++line) {
    const size_t end = std::min(vocabulary.find('\n', begin), vocabulary.size());
    std::string piece(vocabulary.substr(begin, end - begin));
    if (piece.ends_with('\r')) {
      piece.pop_back();
    }
    const auto [earlier, fresh] = result.pieces_.emplace(piece, line);
    if (!fresh) {
      return tl::unexpected(
          Error{ErrorKind::kCorrupt,
                fmt::format("line {} repeats the piece of line {}", line + 1, earlier->second + 1),
                at_byte(place, begin),
                {}});
    }
    begin = end + 1;
  }
  for (const auto& [name, id] : {std::pair("[PAD]", &result.padding_),
                                 {"[UNK]", &result.unknown_},
                                 {"[CLS]", &result.begin_},
                                 {"[SEP]", &result.separator_}}) {
    const auto found = result.pieces_.find(std::string_view(name));
    if (found == result.pieces_.end()) {
      return tl::unexpected(Error{ErrorKind::kCorrupt,
                                  fmt::format("has no piece {}", name),
                                  at_byte(place, vocabulary.size()),
                                  "A WordPiece vocabulary has one piece a line."});
    }
    *id = found->second;
  }
  return result;
}

std::vector<Piece> WordPiece::split(std::string_view text) const {
  std::vector<Piece> pieces;
  Word word;
  const auto flush = [&] {
    split_word(word, pieces);
    word.clear();
  };
  CodePoint point;
  for (size_t i = 0; i < text.size(); i += point.size) {
    point = decode(text, i);
    if (is_space(point.value)) {
      flush();
    } else if (is_punctuation(point.value) || is_chinese(point.value)) {
      flush();
      word.append(text, i, point);
      flush();
    } else if (!is_dropped(point.value)) {
      word.append(text, i, point);
    }
  }
  flush();
  return pieces;
}

void WordPiece::split_word(const Word& word, std::vector<Piece>& pieces) const {
  if (word.letters.empty()) {
    return;
  }
  const Piece unknown{unknown_, word.origin.front().first, word.origin.back().second};
  if (code_points(word.letters).size() - 1 > kLongestWord) {
    pieces.push_back(unknown);
    return;
  }
  const size_t before = pieces.size();
  std::string candidate;
  for (size_t begin = 0; begin < word.letters.size();) {
    size_t end = word.letters.size();
    auto found = pieces_.end();
    for (; end > begin; --end) {
      candidate.assign(begin > 0 ? "##" : "").append(word.letters, begin, end - begin);
      found = pieces_.find(candidate);
      if (found != pieces_.end()) {
        break;
      }
    }
    if (found == pieces_.end()) {
      pieces.resize(before);
      pieces.push_back(unknown);
      return;
    }
    pieces.push_back({found->second, word.origin[begin].first, word.origin[end - 1].second});
    begin = end;
  }
}

}  // namespace crossbind::data
