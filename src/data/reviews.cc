#include "data/reviews.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

namespace crossbind::data {
namespace {

constexpr char kSpace = ' ';

// What each byte of a text becomes.
constexpr std::array<char, 256> kFolded = [] {
  std::array<char, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<char>(i);
  }
  for (unsigned char c = 'A'; c <= 'Z'; ++c) {
    table[c] = static_cast<char>(c - 'A' + 'a');
  }
  for (const char c : std::string_view("!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n")) {
    table[static_cast<unsigned char>(c)] = kSpace;
  }
  return table;
}();

// Words by number in order of first appearance. Open addressing, the letters in one arena: no
// allocation a word.
class WordTable {
 public:
  WordTable() : slots_(size_t{1} << 18) {}

  uint32_t number_of(std::string_view word, uint32_t hash) {
    if (words_.size() * 2 >= slots_.size()) {
      grow();
    }
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.number == kFree) {
        slot = {hash, static_cast<uint32_t>(words_.size())};
        words_.push_back({letters_.size(), word.size()});
        letters_.append(word);
        return slot.number;
      }
      if (slot.hash == hash && equal(words_[slot.number], word)) {
        return slot.number;
      }
    }
  }

  [[nodiscard]] size_t size() const { return words_.size(); }

 private:
  static constexpr uint32_t kFree = ~uint32_t{0};
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kFree;
  };
  struct Word {
    size_t begin;
    size_t size;
  };

  [[nodiscard]] bool equal(const Word& own, std::string_view word) const {
    return own.size == word.size() &&
           std::memcmp(letters_.data() + own.begin, word.data(), word.size()) == 0;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == kFree) {
        continue;
      }
      size_t i = slot.hash & (slots_.size() - 1);
      while (slots_[i].number != kFree) {
        i = (i + 1) & (slots_.size() - 1);
      }
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<Word> words_;
  std::string letters_;
};

// The reviews of a split as word numbers, one after the other.
struct NumberedReviews {
  std::vector<uint32_t> numbers;
  std::vector<size_t> ends;  // of each review in numbers
};

uint32_t finish_hash(uint64_t hash) {
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

void number_words(std::string_view text,
                  std::string& folded,
                  WordTable& words,
                  std::vector<uint32_t>& numbers) {
  // FNV-1a, 64 bits.
  constexpr uint64_t kBasis = 0xcbf29ce484222325;
  constexpr uint64_t kPrime = 0x100000001b3;
  folded.resize(text.size() + 1);
  folded[text.size()] = kSpace;
  size_t begin = 0;
  uint64_t hash = kBasis;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? kFolded[static_cast<unsigned char>(text[i])] : kSpace;
    if (c != kSpace) {
      folded[i] = c;
      hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
      continue;
    }
    if (i > begin) {
      numbers.push_back(
          words.number_of(std::string_view(folded).substr(begin, i - begin), finish_hash(hash)));
    }
    begin = i + 1;
    hash = kBasis;
  }
}

NumberedReviews number_reviews(std::span<const std::string_view> texts, WordTable& words) {
  NumberedReviews reviews;
  std::string folded;
  for (const auto text : texts) {
    number_words(text, folded, words, reviews.numbers);
    reviews.ends.push_back(reviews.numbers.size());
  }
  return reviews;
}

// The index of each of the training reviews' words.
std::vector<int64_t> indices_by_frequency(std::span<const uint32_t> numbers, size_t distinct) {
  std::vector<uint32_t> counts(distinct);
  for (const uint32_t number : numbers) {
    ++counts[number];
  }
  std::vector<uint32_t> ranked(distinct);
  std::iota(ranked.begin(), ranked.end(), uint32_t{0});
  std::ranges::stable_sort(ranked, std::greater{}, [&](uint32_t number) { return counts[number]; });
  std::vector<int64_t> indices(distinct, kUnknownIndex);
  for (size_t i = 0; i < ranked.size(); ++i) {
    const int64_t index = static_cast<int64_t>(i) + 1 + kIndexFrom;
    if (index >= kWordIndices) {
      break;
    }
    indices[ranked[i]] = index;
  }
  return indices;
}

Numbers padded(const NumberedReviews& reviews, std::span<const int64_t> indices) {
  Numbers rows(reviews.ends.size() * kReviewLength, kPaddingIndex);
  size_t begin = 0;
  for (size_t row = 0; row < reviews.ends.size(); ++row) {
    const size_t end = reviews.ends[row];
    const size_t kept = std::min<size_t>(end - begin, kReviewLength);
    int64_t* target = rows.data() + (row + 1) * kReviewLength - kept;
    if (kept < static_cast<size_t>(kReviewLength)) {
      target[-1] = kStartIndex;
    }
    for (size_t i = end - kept; i < end; ++i) {
      const uint32_t number = reviews.numbers[i];
      // Words that only the test reviews have come after all the others.
      *target++ = number < indices.size() ? indices[number] : kUnknownIndex;
    }
    begin = end;
  }
  return rows;
}

}  // namespace

EncodedReviews encode_reviews(std::span<const std::string_view> train,
                              std::span<const std::string_view> test) {
  WordTable words;
  const NumberedReviews train_reviews = number_reviews(train, words);
  const size_t distinct = words.size();
  const NumberedReviews test_reviews = number_reviews(test, words);
  const auto indices = indices_by_frequency(train_reviews.numbers, distinct);
  return {padded(train_reviews, indices),
          padded(test_reviews, indices),
          static_cast<int64_t>(distinct)};
}

}  // namespace crossbind::data
