#include "base/csv.h"

#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

std::vector<std::vector<std::string>> fields_of(std::string_view text) {
  const auto rows = parse_csv(text);
  EXPECT_THAT(rows, is_ok());
  std::vector<std::vector<std::string>> all;
  for (const auto& row : *rows) {
    all.push_back(row.fields);
  }
  return all;
}

TEST(Csv, ReadsRowsWhicheverWayTheyEnd) {
  const auto expected = ElementsAre(ElementsAre("a", "b"), ElementsAre("", "1"));
  EXPECT_THAT(fields_of("a,b\n,1\n"), expected);
  EXPECT_THAT(fields_of("a,b\r\n,1\r\n"), expected);
  EXPECT_THAT(fields_of("a,b\n,1"), expected);
  EXPECT_THAT(fields_of(""), SizeIs(0));
}

TEST(Csv, ReadsBackWhatItWrote) {
  for (const std::string text :
       {"", "plain", "a,b", "say \"no\"", "\"", "two\nlines", "\r\n", ",,", "ü", "'"}) {
    EXPECT_THAT(fields_of(csv_field(text) + "," + csv_field(text) + "\nend\n"),
                ElementsAre(ElementsAre(text, text), ElementsAre("end")))
        << text;
  }
}

TEST(Csv, KnowsTheLineThatARowBeginsIn) {
  const auto rows = parse_csv("a\n\"b\nb\"\nc\n");
  ASSERT_THAT(rows, is_ok());
  ASSERT_THAT(*rows, SizeIs(3));
  EXPECT_EQ((*rows)[1].line, 2U);
  EXPECT_EQ((*rows)[2].line, 4U);
}

TEST(Csv, NamesTheLineThatIsWrong) {
  EXPECT_THAT(parse_csv("a\nb,\"c\n\n"), fails_with(HasSubstr("line 2: a quote is not closed")));
  EXPECT_THAT(parse_csv("a\n\"b\"c\n"), fails_with(HasSubstr("line 2")));
}

}  // namespace
}  // namespace crossbind
