#include "data/reviews.h"

#include <string>

#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// The indices of one review without the padding in front.
Numbers unpadded(const Numbers& rows, size_t review) {
  const auto begin = rows.begin() + static_cast<int64_t>(review) * kReviewLength;
  Numbers row(begin, begin + kReviewLength);
  const auto first = std::ranges::find_if(row, [](int64_t i) { return i != kPaddingIndex; });
  return {first, row.end()};
}

Numbers encode_last(const std::vector<std::string_view>& train, std::string_view text) {
  return unpadded(encode_reviews(train, std::vector{text}).test, 0);
}

TEST(Reviews, RanksWordsByFrequencyAndThenByFirstAppearance) {
  // b: 3, c: 2, a: 2, d: 1; c stands before a.
  const std::vector<std::string_view> train = {"b c a", "b c a", "b d"};
  EXPECT_THAT(encode_last(train, "b c a d"), ElementsAre(1, 4, 5, 6, 7));
}

TEST(Reviews, SplitsAsKerasDoes) {
  const std::vector<std::string_view> train = {"it's GREAT"};
  // The apostrophe stays, case does not count, every filtered character separates.
  EXPECT_THAT(encode_last(train, "IT'S!great<br />(Great)\tit's\ngreat"),
              ElementsAre(1, 4, 5, 2, 5, 4, 5));
  EXPECT_THAT(encode_last(train, " \t\n.,"), ElementsAre(1));
  EXPECT_THAT(encode_last(train, ""), ElementsAre(1));
}

TEST(Reviews, LeavesBytesAbove127AsTheyAre) {
  const std::vector<std::string_view> train = {"café \xff\xfe"};
  EXPECT_THAT(encode_last(train, "CAFé CAFÉ \xff\xfe"), ElementsAre(1, 4, 2, 5));
}

TEST(Reviews, CountsOnlyTheTrainingReviews) {
  const std::vector<std::string_view> train = {"a a b"};
  const std::vector<std::string_view> test = {"b b b new a", "new new"};
  const auto encoded = encode_reviews(train, test);
  EXPECT_THAT(unpadded(encoded.test, 0), ElementsAre(1, 5, 5, 5, 2, 4));
  EXPECT_THAT(unpadded(encoded.test, 1), ElementsAre(1, 2, 2));
  EXPECT_EQ(encoded.distinct_words, 2);
}

TEST(Reviews, KeepsTheLastIndicesOfALongReview) {
  std::string text;
  for (int i = 0; i < kReviewLength; ++i) {
    text += i == 0 ? "first " : "rest ";
  }
  const std::vector<std::string_view> train = {"rest rest first"};
  // Exactly as many words as fit: the start mark is what falls off.
  EXPECT_EQ(encode_last(train, text).front(), 5);
  EXPECT_EQ(encode_last(train, text).size(), static_cast<size_t>(kReviewLength));
  EXPECT_THAT(encode_last(train, text + "rest"), Each(4));
  const std::string shorter = text.substr(6);
  EXPECT_EQ(encode_last(train, shorter).front(), kStartIndex);
}

TEST(Reviews, WordsBeyondTheTenThousandthIndexAreUnknown) {
  // Word i appears in all reviews up to i of three blocks: frequencies fall, and the table grows.
  std::string once;
  std::string twice;
  for (int i = 0; i < 300'000; ++i) {
    const std::string word = fmt::format("w{} ", i);
    once += word;
    if (i < 9'995) {
      twice += word;
    }
  }
  const std::vector<std::string_view> train = {once, twice};
  // Ranks 1 .. 9996 have indices 4 .. 9999.
  EXPECT_THAT(encode_last(train, "w0 w9994 w9995 w9996 w299999"),
              ElementsAre(1, 4, 9998, 9999, 2, 2));
}

}  // namespace
}  // namespace crossbind::data
