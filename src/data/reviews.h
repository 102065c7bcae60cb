// Reviews as word indices, by the convention of Keras's IMDb data set and the splitting of its
// Tokenizer. Pure: texts in, numbers out.
//
// Splitting: A-Z become a-z, each of !"#$%&()*+,-./:;<=>?@[\]^_`{|}~ tab and newline becomes a
// space, words are what stands between spaces. Bytes above 127 are left as they are: where Python's
// lower() would change a letter such as É, this does not.
// Indices: 0 padding, 1 start of a review, 2 any word that is not kept, and 3 + r for the word of
// frequency rank r = 1, 2, ... in the training reviews, as long as that is below kWordIndices.
// Equally frequent words rank by their first appearance.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/content.h"

namespace crossbind::data {

inline constexpr int64_t kPaddingIndex = 0;
inline constexpr int64_t kStartIndex = 1;
inline constexpr int64_t kUnknownIndex = 2;
inline constexpr int64_t kIndexFrom = 3;
inline constexpr int64_t kWordIndices = 10'000;  // all indices are below this
inline constexpr int64_t kReviewLength = 300;

struct EncodedReviews {
  Numbers train;  // [reviews, kReviewLength]: the last indices of each, padded in front
  Numbers test;
  int64_t distinct_words = 0;  // in the training reviews
};

[[nodiscard]] EncodedReviews encode_reviews(std::span<const std::string_view> train,
                                            std::span<const std::string_view> test);

}  // namespace crossbind::data
