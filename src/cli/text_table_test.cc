#include "cli/text_table.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingSpaces) {
  TextTable table({{"NAME"}, {"COUNT", Align::kRight}, {"NOTE"}});
  table.add({"a", "1,000", "x"});
  table.add({"longer", "7", ""});
  EXPECT_EQ(table.to_string(),
            "NAME    COUNT  NOTE\n"
            "a       1,000  x\n"
            "longer      7\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table({{"A"}, {"B"}});
  table.add({"≈ 1", "x"});
  table.add({"= 12", "y"});
  EXPECT_EQ(table.to_string(),
            "A     B\n"
            "≈ 1   x\n"
            "= 12  y\n");
}

TEST(TextTable, FillsMissingCellsAndShowsControlCharactersAsQuestionMarks) {
  TextTable table({{"A"}, {"B"}});
  table.add({"\x1b[31mred\n"});
  EXPECT_EQ(table.to_string(),
            "A          B\n"
            "?[31mred?\n");
}

}  // namespace
}  // namespace crossbind::cli
