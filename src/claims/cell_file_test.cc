#include "claims/cell_file.h"

#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Status read(std::string_view text) {
  Cells cells;
  return read_cells(text, "t.csv", cells);
}

TEST(CellFile, HasACellForEveryQuantityOfARow) {
  Cells cells;
  ASSERT_THAT(read_cells("# Table 6\n"
                         "# in seconds\n"
                         "\n"
                         "model, binding, =load, =total\r\n"
                         "lenet1,python,148.9,465.7\n"
                         "lenet1,,1 2.5 -3e1,oom\n"
                         "lenet5,rust,,7",
                         "t.csv",
                         cells),
              is_ok());
  EXPECT_EQ(cells.size(), 5U);
  const auto load = cells.find({{"quantity", "load"}, {"model", "lenet1"}, {"binding", "python"}});
  ASSERT_THAT(load, SizeIs(1));
  EXPECT_THAT(load[0].samples, ElementsAre(148.9));
  EXPECT_EQ(load[0].source, "Table 6");
  const auto samples = cells.find({{"quantity", "load"}, {"model", "lenet1"}});
  ASSERT_THAT(samples, SizeIs(1));
  EXPECT_THAT(samples[0].samples, ElementsAre(1, 2.5, -30));
  const auto word = cells.find({{"quantity", "total"}, {"model", "lenet1"}});
  ASSERT_THAT(word, SizeIs(1));
  EXPECT_EQ(word[0].word, "oom");
  EXPECT_THAT(word[0].samples, IsEmpty());
}

TEST(CellFile, ACommentMayHaveAnyQuotesAndAFieldItsOwn) {
  Cells cells;
  ASSERT_THAT(read_cells("# of \"Table 6\n"
                         "  # ,\"\n"
                         "model,=a\n"
                         "\"lenet1\",\"1 2\"\n"
                         "# between\n"
                         "lenet5, 3 \n",
                         "t.csv",
                         cells),
              is_ok());
  const auto quoted = cells.find({{"quantity", "a"}, {"model", "lenet1"}});
  ASSERT_THAT(quoted, SizeIs(1));
  EXPECT_THAT(quoted[0].samples, ElementsAre(1, 2));
  EXPECT_EQ(quoted[0].source, "of \"Table 6");
  EXPECT_EQ(cells.size(), 2U);
}

TEST(CellFile, ReadingsTellApartWhatIsPrintedTwice) {
  Cells cells;
  ASSERT_THAT(read_cells("model,reading,=time\ngru,first,3\ngru,second,4\n", "t.csv", cells),
              is_ok());
  EXPECT_THAT(cells.find({{"quantity", "time"}, {"model", "gru"}}), SizeIs(2));
}

TEST(CellFile, ErrorsNameFileAndLine) {
  EXPECT_THAT(read(""), fails_with(HasSubstr("t.csv: there is no line that names the columns")));
  EXPECT_THAT(read("model,load\n"), fails_with(HasSubstr("t.csv:1: no column is a quantity")));
  EXPECT_THAT(read("model,=a b\n"), fails_with(HasSubstr("t.csv:1: '=a b' cannot be the name")));
  EXPECT_THAT(read("quantity,=a\n"), fails_with(HasSubstr("'quantity' cannot be the name")));
  EXPECT_THAT(read("m,m,=a\n"), fails_with(HasSubstr("t.csv:1: the column 'm' is there twice")));
  EXPECT_THAT(read("m,=a\n\nx,1,2\n"),
              fails_with(HasSubstr("t.csv:3: there are 3 fields, expected 2: m,=a")));
  EXPECT_THAT(read("m,=a\nx,1 two\n"), fails_with(HasSubstr("t.csv:2: '1 two' is neither")));
  EXPECT_THAT(read("m,=a\nx,nan\n"), fails_with(HasSubstr("t.csv:2: 'nan' is neither")));
  EXPECT_THAT(read("m,=a\nx,1e999\n"), fails_with(HasSubstr("t.csv:2: '1e999' is neither")));
  EXPECT_THAT(read("m,=a\n# why\nx,\"1\n"),
              fails_with(HasSubstr("t.csv: line 3: a quote is not closed")));
  EXPECT_THAT(read("m,=a\nx,1\nx,2\n"),
              fails_with(AllOf(HasSubstr("t.csv:3"), HasSubstr("two cells m=x quantity=a"))));
}

class CellFolderTest : public testing::ScratchTest {};

TEST_F(CellFolderTest, ReadsEveryTableOfAFolder) {
  EXPECT_THAT(read_cell_folder(scratch("none")), fails_with(HasSubstr("cannot read the folder")));
  EXPECT_THAT(read_cell_folder(scratch("")), fails_with(HasSubstr("there is no .csv file in")));
  ASSERT_THAT(write_file(scratch("a.csv"), "m,=a\nx,1\n"), is_ok());
  ASSERT_THAT(write_file(scratch("b.csv"), "m,=b\nx,1\n"), is_ok());
  ASSERT_THAT(write_file(scratch("notes.txt"), "no table"), is_ok());
  const auto cells = read_cell_folder(scratch(""));
  ASSERT_THAT(cells, is_ok());
  EXPECT_EQ(cells->size(), 2U);
}

}  // namespace
}  // namespace crossbind::claims
