#include "analysis/table.h"

#include "testing/testing.h"

namespace crossbind::analysis {
namespace {

using ::testing::HasSubstr;

const Table kTable{"t",
                   "Title_1",
                   {"name", "n", "x"},
                   {{std::string("a,\"b\"|_"), int64_t{3}, 1.0 / 3}, {false, Value(), 0.5}}};

TEST(Table, IsJsonWithAllDigits) {
  const std::string json = to_json({kTable});
  EXPECT_THAT(json, HasSubstr("\"x\": 0.3333333333333333"));
  EXPECT_THAT(json, HasSubstr("\"n\": null"));
  EXPECT_EQ(to_json({{"empty", "", {"a"}, {}}}), "{\n  \"empty\": []\n}\n");
}

TEST(Table, IsCsvWithQuotesWhereTheyAreNeeded) {
  EXPECT_EQ(to_csv(kTable), "name,n,x\n\"a,\"\"b\"\"|_\",3,0.3333333333333333\nfalse,,0.5\n");
}

TEST(Table, IsMarkdownWithRoundedNumbers) {
  EXPECT_EQ(to_markdown(kTable),
            "## Title_1\n\n| name | n | x |\n|---|---:|---:|\n| a,\"b\"\\|_ | 3 | 0.3333 |\n"
            "| false |  | 0.5 |\n");
  EXPECT_THAT(to_markdown({"t", "Title", {"a"}, {}}), HasSubstr("Not measured."));
}

TEST(Table, IsLatexWithItsSignsEscaped) {
  const std::string latex = to_latex(kTable);
  EXPECT_THAT(latex, HasSubstr("\\caption{Title\\_1}"));
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrr}"));
  EXPECT_THAT(latex, HasSubstr("a,\"b\"|\\_ & 3 & 0.3333 \\\\\n"));
  EXPECT_THAT(to_latex({"t", "T", {"a"}, {{std::string("\\^&")}}}),
              HasSubstr("\\textbackslash{}\\^{}\\&"));
}

}  // namespace
}  // namespace crossbind::analysis
