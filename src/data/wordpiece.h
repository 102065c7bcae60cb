// WordPiece as uncased BERT uses it: split at spaces and punctuation, lower-case, then the longest
// pieces of the vocabulary from the left.
//
// Lower-casing and the removal of accents cover ASCII and Latin-1, as far as English text needs;
// other letters stay as they are, where BERT's own tokenizer applies all of Unicode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"

namespace crossbind::data {

struct Piece {
  int64_t id = 0;
  size_t begin = 0;  // bytes of the text it stands for
  size_t end = 0;
};

class WordPiece {
 public:
  // One piece a line, its number is its line; "##" marks pieces inside a word. Needs [PAD], [UNK],
  // [CLS] and [SEP]. `place` names the file in errors.
  [[nodiscard]] static Result<WordPiece> parse(std::string_view vocabulary,
                                               const std::string& place);

  // Any bytes will do: what is not UTF-8 is dropped.
  [[nodiscard]] std::vector<Piece> split(std::string_view text) const;

  [[nodiscard]] int64_t padding() const { return padding_; }
  [[nodiscard]] int64_t begin() const { return begin_; }  // [CLS]
  [[nodiscard]] int64_t separator() const { return separator_; }
  [[nodiscard]] size_t size() const { return pieces_.size(); }

 private:
  struct Word;
  void split_word(const Word& word, std::vector<Piece>& pieces) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> pieces_;
  int64_t padding_ = 0;
  int64_t unknown_ = 0;
  int64_t begin_ = 0;
  int64_t separator_ = 0;
};

// The byte at which each code point of the text begins, and the text's size at the end. Bytes that
// are not UTF-8 count as one code point each.
[[nodiscard]] std::vector<size_t> code_points(std::string_view text);

}  // namespace crossbind::data
