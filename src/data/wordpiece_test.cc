#include "data/wordpiece.h"

#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using testing::is_ok;
using ::testing::IsEmpty;

// Numbers by line: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, un 4, ##aff 5, ##able 6, cafe 7, ! 8, 中 9.
constexpr std::string_view kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\ncafe\n!\n中\nø\n";

std::vector<int64_t> ids(std::string_view text) {
  std::vector<int64_t> result;
  for (const auto& piece : WordPiece::parse(kVocabulary, "vocab.txt").value().split(text)) {
    result.push_back(piece.id);
  }
  return result;
}

TEST(WordPiece, TakesTheLongestPiecesFromTheLeft) {
  EXPECT_THAT(ids("unaffable"), ElementsAre(4, 5, 6));
  EXPECT_THAT(ids("  UNaffABLE un\t"), ElementsAre(4, 5, 6, 4));
}

TEST(WordPiece, AWordWithAnUnknownPartIsUnknownAsAWhole) {
  EXPECT_THAT(ids("unxable un"), ElementsAre(1, 4));
  EXPECT_THAT(ids("un" + std::string(200, 'x')), ElementsAre(1));
}

TEST(WordPiece, SetsPunctuationAndChineseApart) {
  EXPECT_THAT(ids("un!un"), ElementsAre(4, 8, 4));
  EXPECT_THAT(ids("un中un"), ElementsAre(4, 9, 4));
}

TEST(WordPiece, RemovesAccentsOfLatin1) {
  EXPECT_THAT(ids("Café CAFÉ cafe\u0301"), ElementsAre(7, 7, 7));
  EXPECT_THAT(ids("Ø"), ElementsAre(10));
}

TEST(WordPiece, KnowsWhichBytesAPieceStandsFor) {
  const auto pieces = WordPiece::parse(kVocabulary, "v").value().split("x Café unaff");
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[1].begin, 2U);
  EXPECT_EQ(pieces[1].end, 7U);  // é takes two bytes
  EXPECT_EQ(pieces[3].begin, 10U);
  EXPECT_EQ(pieces[3].end, 13U);
}

TEST(WordPiece, DropsWhatIsNotUtf8) {
  EXPECT_THAT(ids("\xff\xfeun\xc3"), ElementsAre(4));
  EXPECT_THAT(ids("\xf0\x9f"), IsEmpty());
  EXPECT_THAT(ids(""), IsEmpty());
}

TEST(WordPiece, NamesWhatIsWrongWithAVocabulary) {
  EXPECT_THAT(WordPiece::parse("[PAD]\n[UNK]\n[CLS]\n", "v"),
              fails_with(::testing::HasSubstr("v at byte 18: has no piece [SEP]")));
  EXPECT_THAT(WordPiece::parse("a\nb\na\n", "v"),
              fails_with("v at byte 4: line 3 repeats the piece of line 1"));
  EXPECT_THAT(WordPiece::parse("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]", "v"), is_ok());
}

TEST(CodePoints, CountsCharactersNotBytes) {
  EXPECT_THAT(code_points("aé中"), ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(code_points("\xff\x80"), ElementsAre(0, 1, 2));
  EXPECT_THAT(code_points(""), ElementsAre(0));
}

}  // namespace
}  // namespace crossbind::data
